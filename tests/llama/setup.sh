#!/usr/bin/env bash
# Makes a small Debian root with Debian's llama.cpp in it, for tests against a real llama-server.
#
#   tests/llama/setup.sh        prints the folder of the root
#
# Debian 12 has no llama.cpp: the root is of a newer suite (SUITE, default forky). It stays in
# ${XDG_CACHE_HOME:-$HOME/.cache}/tokprobe/$SUITE (about 1 GB) and is used again; a set-up that was cut off is
# done anew, two at once wait for each other. Needs root, the package debootstrap and the package mirror of this machine.
set -euo pipefail
# shellcheck source=tests/lib/debian.sh
. "$(dirname "$0")/../lib/debian.sh"
SUITE=${SUITE:-forky}
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/tokprobe
ROOT=$CACHE/$SUITE
READY=$ROOT/.tokprobe-ready

say() { printf '%s\n' "$*" >&2; }

make_root() {
  say "llama: making a $SUITE root in $ROOT (a few minutes, once)"
  # What is mounted there after an interruption is not deleted through.
  if mountpoint -q "$ROOT/proc"; then umount "$ROOT/proc"; fi
  rm -rf --one-file-system "$ROOT"
  mkdir -p "$ROOT"
  debian_root "$SUITE" "$ROOT" >&2
  printf '#!/bin/sh\nexit 101\n' >"$ROOT/usr/sbin/policy-rc.d"
  chmod +x "$ROOT/usr/sbin/policy-rc.d"
  # A mount namespace of its own: nothing to undo, however this ends.
  # shellcheck disable=SC2016 # the inner shell expands
  unshare --mount bash -euc '
    mount -t proc proc "$1/proc"
    exec chroot "$1" env DEBIAN_FRONTEND=noninteractive sh -euc \
      "apt-get update -qq; apt-get install -y -qq --no-install-recommends llama.cpp; apt-get clean"
  ' bash "$ROOT" >&2
  touch "$READY"
}

mkdir -p "$CACHE"
exec 9>"$CACHE/$SUITE.lock"
flock 9
if [ ! -e "$READY" ] || [ ! -x "$ROOT/usr/bin/llama-server" ]; then make_root; fi
printf '%s\n' "$ROOT"
