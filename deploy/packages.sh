#!/usr/bin/env bash
# The Debian packages that tokprobe needs, in groups, and one way to install them (Debian 12 and 13).
#
#   deploy/packages.sh GROUP ..      installs what is missing of: build services test full llama
#
# Does nothing when all is there. Uses sudo only when it is not root. Debian starts a daemon when its package is
# installed; the ones installed here are kept from that (policy-rc.d) and disabled, because they are started by hand
# where they are needed. A service that was there before is left alone. Also made to be sourced.
set -euo pipefail

package_group() {
  case $1 in
    build)
      echo cmake ninja-build g++ pkg-config git ca-certificates curl python3 libcurl4-openssl-dev libsimdjson-dev \
        nlohmann-json3-dev libcli11-dev libre2-dev libyaml-cpp-dev libspdlog-dev libfmt-dev prometheus-cpp-dev \
        libcpp-httplib-dev libbrotli-dev zlib1g-dev libssl-dev libgtest-dev libgmock-dev
      ;;
    services) echo prometheus prometheus-alertmanager ;;
    test) echo openssl util-linux procps ccache ;;
    full) echo clang clang-format clang-tidy libclang-rt-dev ;;
    llama) echo debootstrap debian-archive-keyring ;;
    *)
      echo "packages.sh: no group '$1'" >&2
      return 1
      ;;
  esac
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null)" = "ii " ]; }

# Runs a command while package scripts may start nothing; a subshell, so that an interruption cleans up too.
without_starts() (
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap 'as_root rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod +x "$policy"
  fi
  "$@"
)

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@"
}

install_packages() {
  local missing=() package units=()
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "installing ${#missing[@]} Debian packages: ${missing[*]}"
  apt_install update -qq >&2
  without_starts apt_install install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  for package in "${missing[@]}"; do
    case $package in prometheus | prometheus-alertmanager) units+=("$package.service") ;; esac
  done
  if [ ${#units[@]} -gt 0 ] && [ -d /run/systemd/system ]; then
    as_root systemctl disable --now --quiet "${units[@]}" || true
  fi
}

# install_groups GROUP ..
install_groups() {
  local group packages=()
  for group in "$@"; do
    read -r -a group_packages <<<"$(package_group "$group")"
    packages+=("${group_packages[@]}")
  done
  install_packages "${packages[@]}"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then install_groups "$@"; fi
