#!/usr/bin/env bash
# What takes too long for every run of the tests; run it before a release. Needs root.
#
#   tests/long.sh            all of it
#   tests/long.sh bookworm   a newcomer's trial in a fresh Debian 12: ./deploy/quickstart.sh --check within 10 minutes
#   tests/long.sh trixie     the same in a fresh Debian 13
#   tests/long.sh newcomer   ./tests/run.sh in a fresh Debian 12
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/packages.sh
. deploy/packages.sh

quickstart_trial() {
  local began=$SECONDS
  tests/bare/trial.sh "$1"
  [ $((SECONDS - began)) -le 600 ] || { echo "long: over 10 minutes" >&2; return 1; }
}

trial() {
  case $1 in
    bookworm | trixie) quickstart_trial "$1" ;;
    newcomer) tests/bare/trial.sh bookworm ./tests/run.sh ;;
    *)
      echo "long: no trial '$1'" >&2
      return 1
      ;;
  esac
}

install_groups llama
[ $# -gt 0 ] || set -- bookworm trixie newcomer
passed=0 failed=0
for name in "$@"; do
  if trial "$name"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
