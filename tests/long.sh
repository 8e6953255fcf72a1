#!/usr/bin/env bash
# What takes too long for every run of the tests; run it before a release. Needs root.
#
#   tests/long.sh            all of it
#   tests/long.sh bookworm   a newcomer's trial in a fresh Debian 12: ./deploy/quickstart.sh --check within 10 minutes
#   tests/long.sh trixie     the same in a fresh Debian 13
#   tests/long.sh newcomer   ./tests/run.sh in a fresh Debian 12
#   tests/long.sh detection  how soon the alerts see a slower server, and how often they cry wolf: 8 seeds, half an hour
#   tests/long.sh firedrill  every fault raises its alert and nothing else does, in ten minutes without one either
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
    detection)
      { cmake --preset release && cmake --build --preset release --target judge_replay; } >/dev/null &&
        python3 tests/detection/detect.py ;;
    firedrill) ./deploy/firedrill.sh ;;
    *)
      echo "long: no trial '$1'" >&2
      return 1
      ;;
  esac
}

install_groups llama build services
[ $# -gt 0 ] || set -- bookworm trixie newcomer detection firedrill
passed=0 failed=0
for name in "$@"; do
  if trial "$name"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
