#!/usr/bin/env bash
# Builds and tests tokprobe.
#
#   ./tests/run.sh           release build, unit tests, end-to-end tests; about 10 minutes from a bare machine
#   ./tests/run.sh --fast    release build and unit tests only
#   ./tests/run.sh --full    adds formatting, clang builds with ASan+UBSan and TSan, and a real llama-server
#
# Installs the Debian packages it needs (deploy/packages.sh), starts what it needs on loopback and stops it again. Logs of
# every stage are in build/logs. The last line counts: N passed, M failed. Exit 1 when anything failed.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/packages.sh
. deploy/packages.sh

MODE=${1:-}
LOGS=build/logs PASSED=0 FAILED=0 BROKEN=0

case $MODE in
  --fast) STAGES=(packages build unit structure) ;;
  '') STAGES=(packages build unit structure end_to_end) ;;
  --full) STAGES=(packages format build unit structure end_to_end llama sanitize race) ;;
  *)
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 1
    ;;
esac

# Each stage prints to its log; the last lines are shown when it fails. A stage that runs tests ends in count_*.

packages() {
  local groups=(build services test)
  if [ "$MODE" = --full ]; then groups+=(full llama); fi
  install_groups "${groups[@]}"
}

# configure_and_build PRESET
configure_and_build() {
  local launcher=()
  if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  cmake --preset "$1" "${launcher[@]}"
  cmake --build --preset "$1"
}

build() { configure_and_build release; }

unit() { ctest --preset release --no-tests=error -j2; }

structure() { python3 -m unittest discover -v -s tests/arch -p '*_test.py'; }

# The tests with a name server of their own and a full disk need root.
end_to_end() { as_root env PYTHONDONTWRITEBYTECODE=1 python3 -m unittest discover -v -s tests/e2e -p '[!f]*_test.py'; }

llama() { as_root env PYTHONDONTWRITEBYTECODE=1 python3 -m unittest discover -v -s tests/e2e -p 'full_*_test.py'; }

format() {
  local files
  mapfile -t files < <(git ls-files '*.h' '*.cc')
  clang-format --dry-run -Werror "${files[@]}"
}

sanitize() {
  configure_and_build dev
  ctest --preset dev --no-tests=error -j2
}

race() {
  configure_and_build tsan
  ctest --preset tsan --no-tests=error -j2
}

# Adds what the closing lines of ctest and unittest in a log say.
count() {
  local log=$1 total failed bad
  while read -r failed total; do
    PASSED=$((PASSED + total - failed)) FAILED=$((FAILED + failed))
  done < <(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of ([0-9]+)$/\1 \2/p' "$log")
  total=$(sed -nE 's/^Ran ([0-9]+) tests? in .*/\1/p' "$log" | tail -1)
  [ -n "$total" ] || return 0
  bad=$(grep -cE '^(FAIL|ERROR): ' "$log" || true)
  PASSED=$((PASSED + total - bad)) FAILED=$((FAILED + bad))
}

run_stage() {
  local stage=$1 log=$LOGS/$1.log began=$SECONDS status=0 before=$FAILED
  ( "$stage" ) >"$log" 2>&1 </dev/null || status=$?
  count "$log"
  if [ "$status" = 0 ]; then
    printf '%-12s ok      %4d s\n' "$stage" $((SECONDS - began))
    return
  fi
  if [ "$FAILED" = "$before" ]; then BROKEN=$((BROKEN + 1)); fi
  printf '%-12s FAILED  %4d s  the end of %s:\n' "$stage" $((SECONDS - began)) "$log"
  tail -n 40 "$log"
}

mkdir -p "$LOGS"
for stage in "${STAGES[@]}"; do run_stage "$stage"; done
# A stage that broke before it could count its tests is a failure too.
echo "$PASSED passed, $((FAILED + BROKEN)) failed"
[ $((FAILED + BROKEN)) = 0 ]
