#!/usr/bin/env bash
# A rehearsal of the alarm: does each fault raise its alert, and nothing else?
#
#   ./deploy/firedrill.sh           twelve minutes: four faults, and ten minutes beside them without one
#   ./deploy/firedrill.sh --short   five minutes: the same faults, a shorter watch
#
# Starts five simulated servers, the agent, Debian's Prometheus with the shipped rules and Alertmanager with the shipped
# example, all on free ports of loopback; lets the judge learn what is normal; then makes one server slow, one stall, kills
# one, and puts a buffering proxy before one, while the fifth stays as it is. Prints which alert arrived after how long, and
# which did not. Everything lasts a sixtieth: TOKPROBE_TEST_TIME_SCALE=60 shortens the judge's windows (30 minutes become
# 30 s), generate.py --time-scale 60 the rules. Exit 0 when every alert arrived and none that has no cause, else 1.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/packages.sh
. deploy/packages.sh

case ${1:-} in
  '' | --short) ;;
  *)
    sed -n '2,12s/^# \{0,1\}//p' "$0"
    case $1 in -h | --help) exit 0 ;; *) exit 1 ;; esac
    ;;
esac
install_groups build services
if ! [ -x build/release/bin/tokprobe ] || ! [ -x build/release/bin/tokprobe-sim ]; then
  echo "firedrill: building (a few minutes the first time) .."
  mkdir -p build/logs
  { cmake --preset release && cmake --build --preset release --target tokprobe tokprobe-sim; } >build/logs/firedrill.log 2>&1 || {
    tail -n 20 build/logs/firedrill.log
    exit 1
  }
fi
exec python3 deploy/firedrill.py "$@"
