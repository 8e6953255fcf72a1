#pragma once

#include <string>
#include <utility>
#include <variant>

namespace tokprobe {

/// What went wrong, in words for a person.
struct Error {
  std::string message;
};

/// A value or the reason why there is none. Stands in for std::expected, which g++ 12 lacks.
template <class T>
class Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: conversion is the point
  Result(Error error) : state_(std::move(error)) {}  // NOLINT
  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  /// Requires a value.
  const T& value() const& { return std::get<T>(state_); }
  T&& value() && { return std::get<T>(std::move(state_)); }
  const T& operator*() const& { return value(); }
  const T* operator->() const { return &value(); }
  /// Requires an error.
  const std::string& error() const { return std::get<Error>(state_).message; }

 private:
  std::variant<T, Error> state_;
};

}  // namespace tokprobe
