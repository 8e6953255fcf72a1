#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "monitor/config/expand_internal.h"
#include "monitor/config/reader_internal.h"
#include "probes/base/text.h"
#include "probes/base/url.h"

namespace tokprobe::config_detail {
namespace {

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// YAML 1.1 reads 010 as 8, YAML 1.2 as 10: whoever writes it deserves the question.
bool has_leading_zero(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

bool has_control(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7F) return true;
    if (c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) {
      return true;
    }
  }
  return false;
}

double count_characters(std::string_view text) {
  return static_cast<double>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

constexpr std::string_view kLeadingZero =
    "a number must not begin with 0 (some readers take it as octal)";

}  // namespace

std::optional<Reader::Scalar> Reader::scalar(const Field& field) {
  if (field.node->kind != YamlNode::Kind::kScalar) {
    expected(field);
    return std::nullopt;
  }
  Result<std::string> value = expand(field.node->text, environment_);
  if (!value) {
    complain(field, value.error());
    return std::nullopt;
  }
  return Scalar{*value, has_variable(*field.node)};
}

std::optional<Reader::Scalar> Reader::unquoted_scalar(const Field& field) {
  std::optional<Scalar> value = scalar(field);
  if (value && field.node->quoted && !value->expanded) {
    expected(field);
    return std::nullopt;
  }
  return value;
}

bool Reader::within(const Field& field, double value, bool show) {
  const Limits& limits = field.doc->limits;
  if (value >= limits.low && value <= limits.high) return true;
  complain(field, fmt::format("{} is out of range; allowed: {}",
                              show ? printable(field.node->text, 60) : "the value",
                              describe_value(limits)));
  return false;
}

std::optional<std::string> Reader::text(const Field& field, Characters allowed) {
  std::optional<Scalar> value = scalar(field);
  if (!value) return std::nullopt;
  std::string& text = value->text;
  const Limits& limits = field.doc->limits;
  std::string fault;
  if (text.empty() && limits.low > 0) {
    fault = "must not be empty";
  } else if (allowed == Characters::kPrintable && has_control(text)) {
    fault = "control characters and line breaks are not allowed";
  } else if (!is_utf8(text)) {
    fault = "this is not UTF-8";
  } else if (trim(text).size() != text.size()) {
    fault = "begins or ends with a space";
  } else if (count_characters(text) > limits.high) {
    fault =
        fmt::format("{} characters; allowed: {}", count_characters(text), describe_value(limits));
  }
  if (fault.empty()) return std::move(text);
  complain(field, fault);
  return std::nullopt;
}

std::optional<std::string> Reader::url(const Field& field) {
  std::optional<std::string> value = text(field);
  if (!value) return std::nullopt;
  const Result<Url> url = parse_url(*value);
  if (url) return value;
  // An error may repeat a part of the text; behind an '@' or a variable that may be a password.
  const bool secret = value->find('@') != std::string::npos || *value != field.node->text;
  complain(field, secret
                      ? std::string("this is not a valid URL (not shown: it may hold a password)")
                      : url.error());
  return std::nullopt;
}

std::optional<bool> Reader::flag(const Field& field) {
  const std::optional<Scalar> value = unquoted_scalar(field);
  if (!value) return std::nullopt;
  if (value->text == "true") return true;
  if (value->text == "false") return false;
  expected(field);
  return std::nullopt;
}

std::optional<int> Reader::whole(const Field& field) {
  const std::optional<Scalar> value = unquoted_scalar(field);
  if (!value) return std::nullopt;
  const std::string_view digits =
      std::string_view(value->text).substr(value->text.starts_with('-'));
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    expected(field);
  } else if (has_leading_zero(value->text)) {
    complain(field, kLeadingZero);
  } else if (within(field, parse_number<double>(value->text).value_or(1e300), !value->expanded)) {
    return parse_number<int>(value->text);
  }
  return std::nullopt;
}

std::optional<double> Reader::number(const Field& field) {
  const std::optional<Scalar> value = unquoted_scalar(field);
  if (!value) return std::nullopt;
  const std::optional<double> parsed = parse_number<double>(value->text);
  if (!parsed || !std::isfinite(*parsed)) {
    expected(field);
  } else if (has_leading_zero(value->text)) {
    complain(field, kLeadingZero);
  } else if (within(field, *parsed, !value->expanded)) {
    return parsed;
  }
  return std::nullopt;
}

std::optional<Duration> Reader::duration(const Field& field) {
  const std::optional<Scalar> value = scalar(field);
  if (!value) return std::nullopt;
  const Result<Duration> parsed = parse_duration(value->text);
  if (!parsed) {
    expected(field);
  } else if (has_leading_zero(value->text)) {
    complain(field, kLeadingZero);
  } else if (within(field, seconds(*parsed), !value->expanded)) {
    return *parsed;
  }
  return std::nullopt;
}

std::optional<std::size_t> Reader::choice(const Field& field) {
  const std::optional<Scalar> value = scalar(field);
  if (!value) return std::nullopt;
  std::string_view rest = field.doc->choices;
  for (std::size_t i = 0; !rest.empty(); ++i) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    if (rest.substr(0, end) == value->text) return i;
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  expected(field);
  return std::nullopt;
}

}  // namespace tokprobe::config_detail
