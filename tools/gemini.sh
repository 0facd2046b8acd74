#!/usr/bin/env bash
# What the tests against the real Gemini CLI need: its packages from npm, below build. Quick when they are there already.
# Where they cannot be had those tests are skipped and say so; nothing else is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

exec .venv/bin/python -m tests.apps.rules.gemini.install
