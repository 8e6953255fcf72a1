#!/usr/bin/env bash
# Tries the project on a machine that has nothing: a fresh Debian root with only git and ca-certificates in it.
#
#   tests/bare/trial.sh [bookworm|trixie] [COMMAND ..]     default: bookworm ./deploy/quickstart.sh --check
#
# Clones the committed HEAD into the root and runs the command there as root, inside mount and process namespaces of its
# own: whatever it starts or mounts ends with it. Prints the command's output, its exit code and its seconds, and exits
# with that code. The untouched root is kept as ${XDG_CACHE_HOME:-$HOME/.cache}/tokprobe/bare-SUITE.tar.gz (100 MB; delete
# it for a newer one); the copy that was tried is deleted. Installs debootstrap; needs root and a Debian package mirror,
# which is this machine's own.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=deploy/packages.sh
. deploy/packages.sh
# shellcheck source=tests/lib/debian.sh
. tests/lib/debian.sh

SUITE=bookworm
case ${1:-} in
  -h | --help)
    sed -n '2,11s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
  bookworm | trixie)
    SUITE=$1
    shift
    ;;
esac
[ $# -gt 0 ] || set -- ./deploy/quickstart.sh --check
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/tokprobe
TARBALL=$CACHE/bare-$SUITE.tar.gz

say() { printf 'bare %s: %s\n' "$SUITE" "$*"; }

make_tarball() {
  say "making $TARBALL (two minutes, once)"
  debian_root "$SUITE" "$WORK/new" git,ca-certificates >"$WORK/debootstrap.log" 2>&1 || {
    tail -n 20 "$WORK/debootstrap.log"
    return 1
  }
  tar -C "$WORK/new" -czf "$WORK/new.tar.gz" .
  mv "$WORK/new.tar.gz" "$TARBALL"
  rm -rf --one-file-system "$WORK/new"
}

# Runs in namespaces that end with it: every mount and every process that is left goes.
# shellcheck disable=SC2016 # the inner shell expands
in_root() {
  unshare --mount --pid --fork --kill-child bash -euc '
    root=$1
    shift
    # A mount of its own and pivot_root: in a mere chroot no tool can make mount namespaces.
    mount --bind "$root" "$root"
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    cd "$root"
    pivot_root . mnt
    umount --lazy /mnt
    exec chroot . env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      LANG=C.UTF-8 TERM="${TERM:-dumb}" sh -c "cd /root/tokprobe && exec \"\$@\"" sh "$@"
  ' bash "$WORK/root" "$@"
}

[ "$(id -u)" = 0 ] || {
  say "needs root (chroot and mounts)" >&2
  exit 1
}
install_groups llama
mkdir -p "$CACHE"
WORK=$(mktemp -d "${TMPDIR:-/tmp}/tokprobe-bare.XXXXXX")
# Deletes no other file system, should one be mounted there all the same.
trap 'rm -rf --one-file-system "$WORK"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
exec 9>"$CACHE/bare-$SUITE.lock"
flock 9
[ -e "$TARBALL" ] || make_tarball
exec 9>&-

say "unpacking a copy and cloning $(git rev-parse --short HEAD)"
mkdir "$WORK/root"
tar -C "$WORK/root" -xzf "$TARBALL"
debian_network "$WORK/root"
git bundle create -q "$WORK/root/root/tokprobe.bundle" HEAD
chroot "$WORK/root" git clone -q /root/tokprobe.bundle /root/tokprobe

# Of a long command the first line says enough.
command="$*"
command=${command%%$'\n'*}
say "running $command"
began=$SECONDS status=0
in_root "$@" </dev/null || status=$?
say "$command ended with $status after $((SECONDS - began)) s, $(du -sm --one-file-system "$WORK/root" | cut -f1) MB in the root"
exit "$status"
