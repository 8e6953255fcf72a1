#!/usr/bin/env bash
# Runs Debian's llama-server from the root that setup.sh made, on loopback, in the foreground.
#
#   tests/llama/server.sh MODEL.gguf PORT SLOTS TOKENS_PER_SLOT [llama-server flags ..]
#
# The model is bound into the root for as long as the server runs. Needs root.
set -euo pipefail
MODEL=$(readlink -f "$1") PORT=$2 SLOTS=$3 TOKENS=$4
shift 4
ROOT=$("$(dirname "$0")/setup.sh")
# A mount namespace of its own: nothing to undo, however this ends.
# shellcheck disable=SC2016 # the inner shell expands
exec unshare --mount bash -euc '
  root=$1 model=$2 port=$3 slots=$4 tokens=$5
  shift 5
  touch "$root/srv/model.gguf"
  mount --bind "$model" "$root/srv/model.gguf"
  mount -t proc proc "$root/proc"
  exec chroot "$root" /usr/bin/llama-server -m /srv/model.gguf --alias tiny --host 127.0.0.1 --port "$port" \
    -np "$slots" -c $((slots * tokens)) --no-kv-unified -t 2 --metrics --cont-batching --no-ui "$@"
' bash "$ROOT" "$MODEL" "$PORT" "$SLOTS" "$TOKENS" "$@"
