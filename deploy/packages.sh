#!/usr/bin/env bash
# The Debian packages that tokprobe needs, in groups, and one way to install them (Debian 12 and 13).
#
#   deploy/packages.sh GROUP ..      installs what is missing of: build services test full llama dashboards
#
# Does nothing when all is there. Uses sudo only when it is not root. Debian starts a daemon when its package is
# installed; the ones installed here are kept from that (policy-rc.d, put back afterwards) and disabled, because they are
# started by hand where they are needed. A service that was there before is left alone. Also made to be sourced.
set -euo pipefail

PACKAGES_SCRIPT=$(readlink -f "${BASH_SOURCE[0]}")

package_group() {
  case $1 in
    build)
      echo cmake ninja-build g++ pkg-config git ca-certificates curl python3 libcurl4-openssl-dev libsimdjson-dev \
        nlohmann-json3-dev libcli11-dev libre2-dev libyaml-cpp-dev libspdlog-dev libfmt-dev prometheus-cpp-dev \
        libcpp-httplib-dev libbrotli-dev zlib1g-dev libssl-dev libgtest-dev libgmock-dev
      ;;
    services) echo prometheus prometheus-alertmanager ;;
    test) echo openssl util-linux procps ccache ;;
    full) echo clang clang-format clang-tidy libclang-rt-dev shellcheck ;;
    llama) echo debootstrap debian-archive-keyring ;;
    dashboards)
      # A newer Node.js than Debian 12's may be there from elsewhere, with its own npm.
      echo chromium "$(command -v npm >/dev/null || echo nodejs npm)"
      ;;
    *)
      echo "packages.sh: no group '$1'" >&2
      return 1
      ;;
  esac
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "this needs root, and there is no sudo: $*" >&2
    return 1
  fi
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null)" = "ii " ]; }

install_packages() {
  local missing=() package
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "installing ${#missing[@]} Debian packages: ${missing[*]}"
  as_root "$PACKAGES_SCRIPT" --as-root "${missing[@]}"
}

# install_groups GROUP ..
install_groups() {
  local group packages=() group_packages
  for group in "$@"; do
    read -r -a group_packages <<<"$(package_group "$group")"
    packages+=("${group_packages[@]}")
  done
  install_packages "${packages[@]}"
}

# What follows runs as root, in a process of its own, one at a time.

POLICY=/usr/sbin/policy-rc.d
MARK='# tokprobe: package scripts start nothing'

# Takes our policy away, and brings back the one that was there before; also after a run that was killed.
restore_policy() {
  if grep -qs "$MARK" "$POLICY"; then rm -f "$POLICY"; fi
  if [ -e "$POLICY.before-tokprobe" ]; then mv "$POLICY.before-tokprobe" "$POLICY"; fi
}

deny_starts() {
  restore_policy
  trap restore_policy EXIT
  if [ -e "$POLICY" ]; then mv "$POLICY" "$POLICY.before-tokprobe"; fi
  printf '#!/bin/sh\n%s\nexit 101\n' "$MARK" >"$POLICY"
  chmod +x "$POLICY"
}

apt_quiet() {
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 -qq "$@" 2>&1
}

install_as_root() {
  local package said units=()
  exec 8>/run/tokprobe-packages.lock
  flock 8
  deny_starts
  said=$(apt_quiet update) || printf 'apt-get update had a problem, going on:\n%s\n' "$said" >&2
  said=$(apt_quiet install -y --no-install-recommends "$@") || {
    printf '%s\n' "$said" | tail -n 20 >&2
    echo "hint: does 'apt-get install $1' work by hand?" >&2
    return 1
  }
  for package in "$@"; do
    case $package in prometheus | prometheus-alertmanager) units+=("$package.service") ;; esac
  done
  if [ ${#units[@]} -gt 0 ] && command -v systemctl >/dev/null; then
    systemctl disable --quiet "${units[@]}" >/dev/null 2>&1 || true
  fi
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  if [ "${1:-}" = --as-root ]; then
    shift
    install_as_root "$@"
  else
    install_groups "$@"
  fi
fi
