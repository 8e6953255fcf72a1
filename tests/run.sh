#!/usr/bin/env bash
# Builds and tests tokprobe.
#
#   ./tests/run.sh           release build, unit tests, end-to-end tests; about 10 minutes from a bare machine
#   ./tests/run.sh --fast    release build, rules and unit tests only
#   ./tests/run.sh --full    adds formatting, clang builds with ASan+UBSan and TSan, and a real llama-server
#
# Installs the Debian packages it needs (deploy/packages.sh), starts what it needs on loopback and stops it again, also on
# Ctrl-C. Logs of every stage are in build/logs. The last line counts: N passed, M failed. Exit 1 when anything failed; in
# --full a skipped test has failed.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/packages.sh
. deploy/packages.sh

# stage, where it belongs, and the seconds after which it is stopped
STAGES='
packages    fast default full   900
format                   full   120
scripts                  full   120
build       fast default full  1500
structure   fast default full    60
rules       fast default full   300
unit        fast default full   600
end_to_end       default full   900
dashboards               full   900
fire_drill               full   600
llama                    full   900
sanitize                 full  1500
race                     full  1500
'
SELF=$PWD/tests/run.sh
LOGS=build/logs

# Stages. Each prints to its log; one that runs tests prints a line "N passed, M failed, S skipped", or several.

packages() {
  local groups=(build services test)
  if [ "$MODE" = full ]; then groups+=(full llama dashboards); fi
  install_groups "${groups[@]}"
}

format() {
  local files version
  version=$(clang-format --version | grep -oE '[0-9]+' | head -n 1)
  # Each version formats a little differently; the one of Debian 12 is the measure.
  [ "$version" = 14 ] || {
    echo "clang-format $version is not 14: not checked"
    return 0
  }
  mapfile -t files < <(git ls-files '*.h' '*.cc')
  clang-format --dry-run -Werror "${files[@]}"
}

scripts() {
  local files
  mapfile -t files < <(git ls-files '*.sh' .ci/run)
  shellcheck -x "${files[@]}"
}

build() { build_preset release; }

structure() { python_tests tests/arch '*_test.py'; }

rules() {
  local status=0
  python_tests tests/rules '*_test.py' || status=1
  python_tests tests/dashboards 'lint_test.py' || status=1
  return "$status"
}

# Needs Node.js 20, Chromium, and npm packages the first time.
dashboards() { python_tests tests/dashboards 'live_test.py'; }

# One test: all of its alerts arrived and no other. The long one is in long.sh.
fire_drill() {
  if ./deploy/firedrill.sh --short; then echo "1 passed, 0 failed, 0 skipped"; else
    echo "0 passed, 1 failed, 0 skipped"
    return 1
  fi
}

unit() {
  local status=0
  test_binaries release || status=1
  command_tests release || status=1
  return "$status"
}

# The tests with a name server of their own and a full disk need root.
end_to_end() { as_root_python_tests tests/e2e '*_test.py' 'full_*'; }

llama() {
  as_root tests/llama/setup.sh
  as_root_python_tests tests/e2e 'full_*_test.py'
}

sanitize() { build_preset dev && test_binaries dev; }

# Without address randomisation: ThreadSanitizer of this age does not start under a kernel that randomises much.
race() {
  if [ "${1:-}" != again ]; then exec setarch "$(uname -m)" -R "$SELF" --stage race "$MODE" again; fi
  build_preset tsan && test_binaries tsan
}

build_preset() {
  local launcher=()
  if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  cmake --preset "$1" "${launcher[@]}" && cmake --build --preset "$1"
}

# The tests that run the program from outside: its printed references, its messages and exit codes.
command_tests() {
  local xml=$PWD/$LOGS/commands-$1.xml status=0 tests failures disabled skipped
  rm -f "$xml"
  ctest --preset "$1" --no-tests=error -R '^(Command|Docs)\.' -j2 --timeout 120 --output-junit "$xml" || status=$?
  # The attributes of the first element.
  read -r tests failures disabled skipped < <(
    for name in tests failures disabled skipped; do grep -oEm1 "$name=\"[0-9]+" "$xml" | head -n 1 | tr -dc '0-9\n'; done | xargs
  ) || return 1
  echo "$((tests - failures - disabled - skipped)) passed, $failures failed, $((disabled + skipped)) skipped"
  return "$status"
}

# The unit tests without ctest, which starts a process for each: hundreds of starts take minutes.
test_binaries() {
  local binary out said status failed passed=0 failures=0 skipped=0
  out=${TMPDIR:-/tmp}/test-binary.log
  for binary in build/"$1"/bin/*_test; do
    status=0
    "$binary" --gtest_color=no >"$out" 2>&1 || status=$?
    [ "$status" = 0 ] || cat "$out"
    said=$(tail -n 1000 "$out")
    echo "$binary: exit $status"
    failed=$(gtest_figure FAILED "$said")
    # One that crashed has not counted itself.
    if [ "$status" != 0 ] && [ "$failed" = 0 ]; then failed=1; fi
    passed=$((passed + $(gtest_figure PASSED "$said"))) failures=$((failures + failed))
    skipped=$((skipped + $(gtest_figure SKIPPED "$said")))
  done
  echo "$passed passed, $failures failed, $skipped skipped"
  [ "$passed" -gt 0 ] && [ "$failures" = 0 ]
}

# gtest_figure WORD TEXT: the number in a closing line such as "[  PASSED  ] 12 tests."
gtest_figure() {
  sed -nE "s/^\[ +$1 +\] ([0-9]+) tests?[.,].*/\1/p" <<<"$2" | tail -n 1 | grep . || echo 0
}

python_tests() { env PYTHONDONTWRITEBYTECODE=1 python3 tests/lib/unittest_runner.py "$@"; }

as_root_python_tests() {
  as_root env PYTHONDONTWRITEBYTECODE=1 TMPDIR="$TMPDIR" TOKPROBE_BIN_DIR="$PWD/build/release/bin" \
    python3 tests/lib/unittest_runner.py "$@"
}

# The frame around them.

PASSED=0 FAILED=0 STAGE_PID=''

# A stage runs in a process group of its own and has its temporary files in one folder, so that nothing of it stays.
stop_all() {
  trap '' INT TERM HUP
  if [ -n "$STAGE_PID" ]; then
    kill "$STAGE_PID" 2>/dev/null || true
    wait "$STAGE_PID" 2>/dev/null || true
    kill -KILL -- "-$STAGE_PID" 2>/dev/null || true
  fi
  rm -rf "$TMPDIR" || true
}

run_stage() {
  local stage=$1 seconds=$2 log=$LOGS/$1.log began=$SECONDS status=0 passed=0 failed=0 skipped=0 note=''
  timeout --kill-after=20 "$seconds" "$SELF" --stage "$stage" "$MODE" >"$log" 2>&1 </dev/null &
  STAGE_PID=$!
  wait "$STAGE_PID" || status=$?
  kill -KILL -- "-$STAGE_PID" 2>/dev/null || true
  STAGE_PID=''
  read -r passed failed skipped < <(
    sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p' "$log" |
      awk '{p += $1; f += $2; s += $3} END {print p + 0, f + 0, s + 0}'
  )
  if [ "$skipped" -gt 0 ]; then note=", $skipped skipped"; fi
  if [ "$MODE" = full ] && [ "$skipped" -gt 0 ]; then failed=$((failed + skipped)) status=1; fi
  # A stage that broke before it could count is a failure too.
  if [ "$status" != 0 ] && [ "$failed" = 0 ]; then failed=1; fi
  PASSED=$((PASSED + passed)) FAILED=$((FAILED + failed))
  if [ $((passed + failed)) -gt 0 ]; then note="  $passed passed, $failed failed$note"; fi
  if [ "$status" = 0 ]; then
    printf '%-12s ok      %5d s%s\n' "$stage" $((SECONDS - began)) "$note"
    return 0
  fi
  if [ "$status" = 124 ] || [ "$status" = 137 ]; then note="$note  stopped after $seconds s"; fi
  printf '%-12s FAILED  %5d s%s\n' "$stage" $((SECONDS - began)) "$note"
  printf -- '--- the end of %s ---\n' "$log"
  tail -n 40 "$log"
  echo "---"
  return 1
}

run_all() {
  local stage modes seconds line
  while read -r line; do
    read -r stage modes <<<"$line"
    seconds=${modes##* }
    case " $modes " in *" $MODE "*) ;; *) continue ;; esac
    run_stage "$stage" "$seconds" || case $stage in packages | build) break ;; esac
  done < <(grep . <<<"$STAGES")
}

case ${1:-} in
  --fast) MODE=fast ;;
  '') MODE=default ;;
  --full) MODE=full ;;
  --stage)
    MODE=$3
    "$2" "${@:4}"
    exit
    ;;
  *)
    sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
    exit 1
    ;;
esac
mkdir -p "$LOGS"
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/tokprobe-test.XXXXXX")
export TMPDIR
trap stop_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
run_all
echo "$PASSED passed, $FAILED failed"
[ "$FAILED" = 0 ]
