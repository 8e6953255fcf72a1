#!/usr/bin/env bash
# Makes a small Debian root with Debian's llama.cpp in it, for tests against a real llama-server.
#
#   tests/llama/setup.sh        prints the folder of the root
#
# Debian 12 has no llama.cpp: the root is of a newer suite (SUITE, default forky). It stays in
# ${XDG_CACHE_HOME:-$HOME/.cache}/tokprobe/$SUITE (about 1 GB) and is used again; a set-up that was cut off is
# done anew. Needs root, the package debootstrap and the package mirror of this machine.
set -euo pipefail
SUITE=${SUITE:-forky}
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/tokprobe
ROOT=$CACHE/$SUITE
READY=$ROOT/.tokprobe-ready

say() { printf '%s\n' "$*" >&2; }

# The mirror in this machine's own package sources, whichever of the two formats they have.
mirror() {
  awk '/^URIs:/ {print $2; exit}' /etc/apt/sources.list.d/debian.sources 2>/dev/null | grep . ||
    awk '$1 == "deb" {for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) {print $i; exit}}' /etc/apt/sources.list
}

unmount() { mountpoint -q "$ROOT/proc" && umount "$ROOT/proc"; return 0; }

make_root() {
  say "llama: making a $SUITE root in $ROOT (a few minutes, once)"
  unmount
  rm -rf --one-file-system "$ROOT"
  mkdir -p "$ROOT"
  # An older debootstrap does not know the suite by name: the script of sid serves.
  debootstrap --variant=minbase --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
    "$SUITE" "$ROOT" "$(mirror)" sid >&2
  cp /etc/resolv.conf "$ROOT/etc/resolv.conf"
  cp /etc/hosts "$ROOT/etc/hosts"
  printf '%s\n' 'Acquire::Check-Valid-Until "false";' 'Apt::Install-Recommends "false";' >"$ROOT/etc/apt/apt.conf.d/99local"
  printf '#!/bin/sh\nexit 101\n' >"$ROOT/usr/sbin/policy-rc.d"
  chmod +x "$ROOT/usr/sbin/policy-rc.d"
  mount -t proc proc "$ROOT/proc"
  trap unmount EXIT
  chroot "$ROOT" env DEBIAN_FRONTEND=noninteractive sh -c \
    'apt-get update -qq && apt-get install -y -qq --no-install-recommends llama.cpp && apt-get clean' >&2
  unmount
  touch "$READY"
}

mkdir -p "$CACHE"
exec 9>"$CACHE/$SUITE.lock"
flock 9
[ -e "$READY" ] || make_root
printf '%s\n' "$ROOT"
