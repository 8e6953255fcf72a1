#!/usr/bin/env bash
# Makes the page that draws dashboards, and prints its folder.
#
#   tests/dashboards/render/setup.sh
#
# The packages (npm ci, about 600 MB) and what is built from them stay in ${XDG_CACHE_HOME:-$HOME/.cache}/tokprobe, by the
# hashes of the lock file and of the sources, and are used again. Two at once wait for each other. Needs Node.js 20.
set -euo pipefail
cd "$(dirname "$0")"
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/tokprobe

say() { printf '%s\n' "$*" >&2; }

hash_of() { cat "$@" | sha256sum | cut -c 1-12; }

version=$(node --version 2>/dev/null || true)
if [ "$(tr -dc '0-9.' <<<"$version" | cut -d . -f 1)" -lt 20 ] 2>/dev/null || [ -z "$version" ]; then
  say "dashboards: Node.js 20 or newer is needed, and here is ${version:-none}; Debian 13 has one, Debian 12 does not"
  exit 1
fi
PACKAGES=$CACHE/dashboards-$(hash_of package.json package-lock.json)
PAGE=$PACKAGES/page-$(hash_of ./*.mjs ./*.js ./*.json index.html src/*)
mkdir -p "$PACKAGES"
exec 9>"$PACKAGES/.lock"
flock 9
if [ ! -e "$PACKAGES/.ready" ]; then
  say "dashboards: installing Grafana's packages into $PACKAGES (a minute, once)"
  cp package.json package-lock.json "$PACKAGES/"
  # A registry that is busy is asked again.
  (cd "$PACKAGES" && { npm ci --no-audit --no-fund --loglevel=error || npm ci --no-audit --no-fund --loglevel=error; }) >&2
  touch "$PACKAGES/.ready"
fi
if [ ! -e "$PAGE/.ready" ]; then
  say "dashboards: building the page that draws them"
  # Half a page of an interrupted build goes; whole ones may be in use.
  rm -rf "$PAGE"
  mkdir "$PAGE"
  cp -r ./*.mjs ./*.js tsconfig.json index.html src "$PAGE/"
  (cd "$PAGE" && node schemas.mjs && "$PACKAGES/node_modules/.bin/vite" build --logLevel error) >&2
  touch "$PAGE/.ready"
fi
touch "$PACKAGES/.ready" "$PAGE/.ready"
# What was not used for a month goes.
find "$CACHE" -maxdepth 3 -path '*/dashboards-*' -name .ready -mtime +30 -printf '%h\0' | xargs -0 -r rm -rf
printf '%s\n' "$PAGE"
