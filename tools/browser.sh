#!/usr/bin/env bash
# What the browser tests need: Chromium and a Korean font. Installed where that is ours to do: by root, on Debian.
# Everywhere else those tests are skipped and say so; nothing else is.
set -euo pipefail

has_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
has_korean() { command -v fc-list && [ -n "$(fc-list :lang=ko)" ]; }

if has_browser >/dev/null && has_korean >/dev/null; then
  exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "The browser tests need Chromium and a Korean font (Debian: chromium fonts-noto-cjk); without them they are skipped." >&2
  exit 0
fi
echo "Installing Chromium and a Korean font for the browser tests …" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq install --yes --no-install-recommends chromium fonts-noto-cjk fontconfig >/dev/null
