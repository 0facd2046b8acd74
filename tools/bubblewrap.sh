#!/usr/bin/env bash
# What the tests of contained scripts need: bubblewrap. Installed where that is ours to do: by root, on Debian.
# Everywhere else those tests are skipped and say so; nothing else is.
set -euo pipefail

if command -v bwrap >/dev/null; then
  exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "The tests of contained scripts need bubblewrap (Debian: bubblewrap); without it they are skipped." >&2
  exit 0
fi
echo "Installing bubblewrap for the tests of contained scripts …" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq install --yes --no-install-recommends bubblewrap >/dev/null
