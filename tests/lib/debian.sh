# shellcheck shell=bash
# Debian roots for tests, made from the package mirror that this machine itself uses. To be sourced.

# The mirror in this machine's own package sources, whichever of the two formats they have.
debian_mirror() {
  {
    awk '/^URIs:/ {print $2}' /etc/apt/sources.list.d/debian.sources
    awk '$1 == "deb" {for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) {print $i; break}}' /etc/apt/sources.list
    true
  } 2>/dev/null | head -n 1 | grep . || {
    echo "no Debian mirror in /etc/apt/sources.list.d/debian.sources or /etc/apt/sources.list" >&2
    return 1
  }
}

# debian_root SUITE FOLDER [PACKAGE,..]: a minimal root that can install packages.
debian_root() {
  local suite=$1 root=$2 include=${3:-} mirror
  mirror=$(debian_mirror)
  # An older debootstrap does not know every suite by name: the script of sid serves them all.
  debootstrap --variant=minbase ${include:+--include="$include"} \
    --keyring=/usr/share/keyrings/debian-archive-keyring.gpg "$suite" "$root" "$mirror" sid
  debian_network "$root"
  chroot "$root" apt-get clean
}

# debian_network FOLDER: lets the root resolve names and use the mirror as this machine does.
debian_network() {
  local root=$1
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  {
    apt-config dump | grep -E '^Acquire::([a-z]+::Proxy|Check-Valid-Until|Check-Date)' || true
    echo 'APT::Install-Recommends "false";'
  } >"$root/etc/apt/apt.conf.d/99tokprobe"
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/99tokprobe"
}
