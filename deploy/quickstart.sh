#!/usr/bin/env bash
# From a bare Debian 12 or 13 to live figures of an inference server, with one command.
#
#   ./deploy/quickstart.sh                 watches tokprobe-sim, a server without a model
#   ./deploy/quickstart.sh URL             watches your server, such as http://10.0.0.5:30000
#   ./deploy/quickstart.sh [URL] --check   runs about a minute, asserts that figures arrived, stops: exit 0 or 1
#
# It installs Debian packages, builds, and starts the agent, Debian's Prometheus and Alertmanager (and the simulator),
# all on loopback. Ctrl-C stops all of them. What stays: the packages and the folder build/. Nothing is left running.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/packages.sh
. deploy/packages.sh

URL='' CHECK=no PIDS=() DIR='' STOPPING=no
BIN=build/release/bin

say() { printf '%s\n' "$*"; }

usage() { sed -n '2,8s/^# \{0,1\}//p' "$0"; }

# With what failed, the end of its log and an exit code of 1.
fail() {
  say "quickstart: $1"
  if [ -n "${2:-}" ] && [ -f "$2" ]; then
    say "The end of its log:"
    tail -n 15 "$2"
  fi
  exit 1
}

stop_all() {
  STOPPING=yes
  trap - EXIT INT TERM
  local pid
  for pid in "${PIDS[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${PIDS[@]}"; do wait "$pid" 2>/dev/null || true; done
  [ -z "$DIR" ] || rm -rf "$DIR"
}

# The given port or the next one that is free.
free_port() {
  local port=$1
  while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
  echo "$port"
}

# start NAME COMMAND ..: in the background, its output in a log
start() {
  local name=$1
  shift
  "$@" >"$DIR/$name.log" 2>&1 &
  PIDS+=($!)
}

# wait_for NAME URL PID: until it answers; fails when the program has ended or 30 s have passed
wait_for() {
  local i
  for ((i = 0; i < 300; i++)); do
    curl -fs -o /dev/null --noproxy '*' "$2" && return 0
    kill -0 "$3" 2>/dev/null || fail "$1 has ended" "$DIR/$1.log"
    sleep 0.1
  done
  fail "$1 does not answer at $2" "$DIR/$1.log"
}

build() {
  say "Building (a few minutes the first time) .."
  mkdir -p build
  if ! { cmake --preset release -DTOKPROBE_TESTS=ON && cmake --build --preset release --target tokprobe tokprobe-sim; } \
    >build/quickstart.log 2>&1; then
    fail "the build failed" build/quickstart.log
  fi
}

write_configs() {
  # The URL goes in as a JSON string, which is YAML too.
  local quoted
  quoted=$(python3 -c 'import json, sys; print(json.dumps(sys.argv[1]))' "$URL")
  cat >"$DIR/tokprobe.yml" <<YAML
targets:
  - {name: $NAME, url: $quoted}
probes:
  - {name: heartbeat, interval: 5s, input_tokens: 100, output_tokens: 16, timeout: {total: 60s}}
  - {name: speed, interval: 15s, requests: 2, input_tokens: 200, output_tokens: 50, timeout: {total: 60s}}
  - {name: load, interval: 20s, concurrency: [4], input_tokens: 200, output_tokens: 50, timeout: {total: 60s}}
YAML
  local rules=''
  if compgen -G 'dashboards/rules/*.yml' >/dev/null; then rules="rule_files: ['$PWD/dashboards/rules/*.yml']"; fi
  cat >"$DIR/prometheus.yml" <<YAML
global: {scrape_interval: 2s, evaluation_interval: 2s}
$rules
alerting: {alertmanagers: [{static_configs: [{targets: ['127.0.0.1:$ALERTMANAGER']}]}]}
scrape_configs:
  - {job_name: tokprobe, static_configs: [{targets: ['127.0.0.1:$AGENT']}]}
YAML
  cat >"$DIR/alertmanager.yml" <<'YAML'
route: {receiver: nobody}
receivers: [{name: nobody}]
YAML
}

start_all() {
  AGENT=$(free_port 18838) PROMETHEUS=$(free_port 19090) ALERTMANAGER=$(free_port 19093)
  NAME=server
  if [ -z "$URL" ]; then
    local port
    port=$(free_port 18800)
    NAME=simulator URL=http://127.0.0.1:$port
    start simulator "$BIN/tokprobe-sim" --listen "127.0.0.1:$port" --ttft 0.2 --decode 1:73.5,4:60
    wait_for simulator "$URL/health" "${PIDS[-1]}"
  fi
  write_configs
  "$BIN/tokprobe" check-config "$DIR/tokprobe.yml" >/dev/null 2>"$DIR/check.log" ||
    fail "this URL cannot be watched" "$DIR/check.log"
  start agent "$BIN/tokprobe" serve --config.file="$DIR/tokprobe.yml" --storage.path="$DIR/state" \
    --web.listen-address="127.0.0.1:$AGENT"
  wait_for agent "http://127.0.0.1:$AGENT/-/ready" "${PIDS[-1]}"
  start alertmanager prometheus-alertmanager --config.file="$DIR/alertmanager.yml" --storage.path="$DIR/alerts" \
    --web.listen-address="127.0.0.1:$ALERTMANAGER" --cluster.listen-address=
  wait_for alertmanager "http://127.0.0.1:$ALERTMANAGER/-/ready" "${PIDS[-1]}"
  start prometheus prometheus --config.file="$DIR/prometheus.yml" --storage.tsdb.path="$DIR/data" \
    --web.listen-address="127.0.0.1:$PROMETHEUS"
  wait_for prometheus "http://127.0.0.1:$PROMETHEUS/-/ready" "${PIDS[-1]}"
  say ""
  say "  watching      $("$BIN/tokprobe" --version | cut -d' ' -f1-2) watches $NAME"
  say "  agent         http://127.0.0.1:$AGENT/          metrics at /metrics"
  say "  Prometheus    http://127.0.0.1:$PROMETHEUS/"
  say "  Alertmanager  http://127.0.0.1:$ALERTMANAGER/"
  say "  logs          $DIR"
  say ""
}

figures() { python3 deploy/figures.py "http://127.0.0.1:$PROMETHEUS" "$@"; }

# Until every probe has succeeded, at most 90 s; then the verdict.
check() {
  local i allow=--fail-on-failures
  [ "$NAME" = simulator ] || allow=--allow-failures
  for ((i = 0; i < 45; i++)); do
    sleep 2
    figures --check "$allow" >/dev/null 2>&1 && [ "$i" -ge 20 ] && break
  done
  figures --check "$allow" || {
    tail -n 15 "$DIR/agent.log"
    fail "no figures, or failures among them"
  }
  say "quickstart: figures arrived through Prometheus"
}

watch() {
  say "Ctrl-C stops all. Figures appear as runs end .."
  while [ "$STOPPING" = no ]; do
    sleep 5
    if [ -t 1 ]; then printf '\033[2J\033[H'; fi
    date '+%H:%M:%S'
    figures || true
    say "  http://127.0.0.1:$AGENT/   http://127.0.0.1:$PROMETHEUS/   Ctrl-C stops all"
  done
}

for argument in "$@"; do
  case $argument in
    --check) CHECK=yes ;;
    -h | --help)
      usage
      exit 0
      ;;
    -*)
      usage >&2
      exit 1
      ;;
    *) URL=$argument ;;
  esac
done

install_groups build services
build
DIR=$(mktemp -d "${TMPDIR:-/tmp}/tokprobe-quickstart.XXXXXX")
trap stop_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
start_all
if [ "$CHECK" = yes ]; then check; else watch; fi
