#!/usr/bin/env bash
# What the tests of poolers need: PgBouncer. Installed where that is ours to do: by root, on Debian.
# Everywhere else those tests are skipped and say so; nothing else is.
set -euo pipefail

if PATH="$PATH:/usr/sbin" command -v pgbouncer >/dev/null; then
  exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "The tests of poolers need PgBouncer (Debian: pgbouncer); without it they are skipped." >&2
  exit 0
fi
echo "Installing PgBouncer for the tests of poolers …" >&2
export DEBIAN_FRONTEND=noninteractive
# In runlevel 1 the package does not start a service of its own.
export RUNLEVEL=1
apt-get -qq update
apt-get -qq install --yes --no-install-recommends pgbouncer >/dev/null
