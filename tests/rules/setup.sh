#!/usr/bin/env bash
# Brings the promtool of a newer Debian, so that the rules are tried with Prometheus 3 as well.
#
#   tests/rules/setup.sh        prints the path of the program
#
# Debian 12 has Prometheus 2.42: the other one is of a newer suite (SUITE, default forky). One package (17 MB) is taken from the
# package mirror of this machine and unpacked, not installed; it stays in ${XDG_CACHE_HOME:-$HOME/.cache}/tokprobe. Needs no root.
set -euo pipefail
# shellcheck source=tests/lib/debian.sh
. "$(dirname "$0")/../lib/debian.sh"
SUITE=${SUITE:-forky}
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/tokprobe
FOLDER=$CACHE/promtool-$SUITE
PROGRAM=$FOLDER/usr/bin/promtool

bring() {
  local work mirror options
  mirror=$(debian_mirror)
  work=$(mktemp -d "$CACHE/promtool.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$work'" EXIT
  mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/unpacked"
  touch "$work/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $SUITE main" >"$work/sources.list"
  # An apt of its own: what this machine has installed, and from where, does not matter and does not change.
  options=(-qq -o "Dir::State=$work" -o "Dir::State::lists=$work/lists" -o "Dir::State::status=$work/status"
    -o "Dir::Cache=$work" -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null
    -o Acquire::Languages=none -o "APT::Sandbox::User=$(id -un)")
  apt-get "${options[@]}" update >&2
  (cd "$work" && apt-get "${options[@]}" download promtool >&2)
  dpkg-deb -x "$work"/promtool_*.deb "$work/unpacked"
  "$work/unpacked/usr/bin/promtool" --version >/dev/null
  rm -rf "$FOLDER"
  mv "$work/unpacked" "$FOLDER"
}

mkdir -p "$CACHE"
exec 9>"$CACHE/promtool-$SUITE.lock"
flock 9
[ -x "$PROGRAM" ] || bring
printf '%s\n' "$PROGRAM"
