#!/usr/bin/env bash
# From a bare Debian 12 or 13 to live figures of an inference server, with one command.
#
#   ./deploy/quickstart.sh                 watches tokprobe-sim, a server without a model
#   ./deploy/quickstart.sh URL             watches your server, such as http://10.0.0.5:30000
#   ./deploy/quickstart.sh [URL] --check   runs about a minute, asserts that figures arrived, stops: exit 0 or 1
#
# It installs Debian packages, builds, and starts the agent, Debian's Prometheus and Alertmanager (and the simulator),
# all on loopback, on the usual ports or the next free ones. Ctrl-C stops all of them. What stays: the packages and the
# folder build/. Nothing is left running. With a URL that server gets a request of 16 tokens every 5 s, two of 50 every 15 s
# and four of 50 at once every 20 s.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=deploy/packages.sh
. deploy/packages.sh

URL='' CHECK=no NAMES=() PIDS=() DIR=''
BIN=build/release/bin

say() { printf '%s\n' "$*"; }

step() { say "quickstart: $1 .."; }

usage() { sed -n '2,11s/^# \{0,1\}//p' "$0"; }

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
  trap - EXIT
  trap '' INT TERM HUP
  local pids i
  mapfile -t pids < <(jobs -p)
  kill "${pids[@]}" 2>/dev/null || true
  for ((i = 0; i < 100; i++)); do
    [ -n "$(jobs -pr)" ] || break
    sleep 0.1
  done
  kill -KILL "${pids[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  [ -z "$DIR" ] || rm -rf "$DIR"
}

# The given port or the next one that is free.
free_port() {
  local port=$1
  while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
  echo "$port"
}

# start NAME COMMAND ..: in the background, its output in a log; it ends with this script, however that ends
start() {
  local name=$1
  shift
  setpriv --pdeathsig TERM "$@" >"$DIR/$name.log" 2>&1 </dev/null &
  NAMES+=("$name") PIDS+=($!)
}

all_run() {
  local i
  for i in "${!PIDS[@]}"; do
    kill -0 "${PIDS[$i]}" 2>/dev/null || fail "${NAMES[$i]} has ended" "$DIR/${NAMES[$i]}.log"
  done
}

# wait_for NAME URL: until it answers; fails when a program has ended or 30 s have passed
wait_for() {
  local i
  for ((i = 0; i < 300; i++)); do
    curl -fs -o /dev/null --noproxy '*' "$2" && return 0
    all_run
    sleep 0.1
  done
  fail "$1 does not answer at $2" "$DIR/$1.log"
}

# On a terminal the last line of a long output, elsewhere nothing; all of it goes to a log.
progress() {
  if [ ! -t 1 ]; then
    cat >"$1"
    return
  fi
  tee "$1" | while IFS= read -r line; do printf '\r\033[K%.78s' "$line"; done
  printf '\r\033[K'
}

build() {
  step "building (a few minutes the first time)"
  mkdir -p build/logs
  local log=build/logs/quickstart.log
  { cmake --preset release && cmake --build --preset release --target tokprobe tokprobe-sim; } 2>&1 |
    progress "$log" || fail "the build failed" "$log"
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

start_simulator() {
  local port
  port=$(free_port 18800)
  URL=http://127.0.0.1:$port NAME=simulator
  start simulator "$BIN/tokprobe-sim" --listen "127.0.0.1:$port" --ttft 0.2 --decode 1:73.5,4:60
  wait_for simulator "$URL/health"
}

start_all() {
  step "starting the agent, Prometheus and Alertmanager on loopback"
  AGENT=$(free_port 18838) PROMETHEUS=$(free_port 19090) ALERTMANAGER=$(free_port 19193)
  NAME=server
  [ -n "$URL" ] || start_simulator
  write_configs
  "$BIN/tokprobe" check-config "$DIR/tokprobe.yml" >"$DIR/check.log" 2>&1 || fail "this URL cannot be watched" "$DIR/check.log"
  start agent "$BIN/tokprobe" serve --config.file="$DIR/tokprobe.yml" --storage.path="$DIR/state" \
    --web.listen-address="127.0.0.1:$AGENT"
  wait_for agent "http://127.0.0.1:$AGENT/-/ready"
  start alertmanager prometheus-alertmanager --config.file="$DIR/alertmanager.yml" --storage.path="$DIR/alerts" \
    --web.listen-address="127.0.0.1:$ALERTMANAGER" --cluster.listen-address=
  wait_for alertmanager "http://127.0.0.1:$ALERTMANAGER/-/ready"
  start prometheus prometheus --config.file="$DIR/prometheus.yml" --storage.tsdb.path="$DIR/data" \
    --web.listen-address="127.0.0.1:$PROMETHEUS"
  wait_for prometheus "http://127.0.0.1:$PROMETHEUS/-/ready"
  say ""
  [ "$NAME" != simulator ] || say "  simulator     $URL"
  say "  agent         http://127.0.0.1:$AGENT/  (metrics at /metrics)"
  say "  Prometheus    http://127.0.0.1:$PROMETHEUS/"
  say "  Alertmanager  http://127.0.0.1:$ALERTMANAGER/"
  say "  logs          $DIR"
  say ""
}

figures() { python3 deploy/figures.py "http://127.0.0.1:$PROMETHEUS" "$@"; }

# About a minute; longer, at most 100 s, when a probe has not come round yet.
check() {
  local began=$SECONDS flags=(--check)
  if [ "$NAME" = simulator ]; then flags+=(--no-failures); fi
  step "watching for about a minute"
  while [ $((SECONDS - began)) -lt 100 ]; do
    sleep 2
    all_run
    [ $((SECONDS - began)) -ge 45 ] && figures "${flags[@]}" >/dev/null 2>&1 && break
  done
  figures "${flags[@]}" || fail "these figures are not as they should be; the agent may say why" "$DIR/agent.log"
  say "quickstart: figures arrived through Prometheus"
}

# A table that stays in its place on a terminal, and comes once a minute elsewhere.
watch() {
  local table lines=0 pause=60
  if [ -t 1 ]; then pause=3; fi
  say "Figures appear as runs end. Ctrl-C stops all."
  while :; do
    all_run
    table=$(date '+%H:%M:%S' && figures 2>&1) || true
    if [ -t 1 ] && [ "$lines" -gt 0 ]; then printf '\033[%dA\033[J' "$lines"; fi
    say "$table"
    lines=$(wc -l <<<"$table")
    sleep "$pause" &
    wait $! || true
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

# What a URL may consist of; the agent's own check of the configuration says more.
if [ -n "$URL" ] && ! [[ $URL =~ ^https?://[][A-Za-z0-9._~:/?#@!\$\&\'()*+,\;=%-]+$ ]]; then
  fail "'$URL' is not a URL such as http://10.0.0.5:30000"
fi
step "checking the Debian packages"
install_groups build services
build
DIR=$(mktemp -d "${TMPDIR:-/tmp}/tokprobe-quickstart.XXXXXX")
trap stop_all EXIT
trap 'say ""; say "quickstart: stopping"; exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
start_all
if [ "$CHECK" = yes ]; then check; else watch; fi
