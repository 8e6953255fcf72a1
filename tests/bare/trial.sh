#!/usr/bin/env bash
# Runs a command in a fresh Debian that has nothing but git and ca-certificates, as a newcomer's machine would.
#
#   tests/bare/trial.sh [bookworm|trixie] [COMMAND ..]      default: ./deploy/quickstart.sh --check
#
# The root is made by debootstrap once and kept as a tarball in ${XDG_CACHE_HOME:-$HOME/.cache}/tokprobe; each trial unpacks
# a new copy, clones the committed HEAD of this checkout into it, and removes it afterwards. Needs root and the package
# mirror of this machine. Prints the time and the exit code, and exits with it.
set -euo pipefail
cd "$(dirname "$0")/../.."
SUITE=${1:-bookworm}
shift || true
[ $# -gt 0 ] || set -- ./deploy/quickstart.sh --check
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/tokprobe
TARBALL=$CACHE/bare-$SUITE.tar
ROOT=$(mktemp -d "${TMPDIR:-/tmp}/tokprobe-bare.XXXXXX")

mirror() {
  awk '/^URIs:/ {print $2; exit}' /etc/apt/sources.list.d/debian.sources 2>/dev/null | grep . ||
    awk '$1 == "deb" {for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) {print $i; exit}}' /etc/apt/sources.list
}

# Nothing is deleted through a mount: the mounts live in the trial's own namespace and end with it.
trap 'rm -rf --one-file-system "$ROOT"' EXIT

if [ ! -e "$TARBALL" ]; then
  echo "bare: making a $SUITE root (once)"
  mkdir -p "$CACHE"
  debootstrap --variant=minbase --include=git,ca-certificates --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
    "$SUITE" "$ROOT" "$(mirror)" >"$CACHE/bare-$SUITE.log" 2>&1
  tar -C "$ROOT" --one-file-system -cf "$TARBALL.new" .
  mv "$TARBALL.new" "$TARBALL"
  rm -rf --one-file-system "${ROOT:?}"/*
fi
tar -C "$ROOT" -xf "$TARBALL"
cp /etc/resolv.conf "$ROOT/etc/resolv.conf"
grep -rliE 'proxy|verify|check-valid' /etc/apt/apt.conf.d 2>/dev/null |
  xargs -r cp -t "$ROOT/etc/apt/apt.conf.d" || true
git clone --quiet --no-hardlinks . "$ROOT/root/tokprobe"

echo "bare: $SUITE: $*"
began=$SECONDS status=0
# shellcheck disable=SC2016 # the inner shells expand
unshare --mount --pid --fork --kill-child bash -euc '
  root=$1
  shift
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    TERM=dumb LANG=C.UTF-8 bash -c "cd /root/tokprobe && exec \"\$@\"" bash "$@"
' bash "$ROOT" "$@" </dev/null || status=$?
echo "bare: $SUITE: exit $status after $((SECONDS - began)) s"
exit "$status"
