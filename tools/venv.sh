#!/usr/bin/env bash
# Makes the folder named by $1 a virtual environment that holds the uv that the lock $2 names, by its hash.
# Needs only some Python >= 3.11; $PYTHON chooses one, otherwise the first that fits is taken. The system's own comes first: distributions
# build theirs with a profile, version managers mostly do not, and then starting and computing take a fifth to a quarter longer.
set -euo pipefail

folder=$1 lock=$2
uv_version=$(sed -nE 's/^uv==([^ ]+).*/\1/p' "$lock")

fits() {
    command -v "$1" >/dev/null && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

makes_environments() {
    "$1" -c 'import ensurepip, venv' 2>/dev/null
}

find_python() {
    local found=
    for name in ${PYTHON:-/usr/bin/python3 python3 python3.14 python3.13 python3.12 python3.11 python}; do
        if fits "$name"; then
            found=${found:-$name}
            if makes_environments "$name"; then
                echo "$name"
                return
            fi
        fi
    done
    if [ -n "$found" ]; then
        echo "$found cannot make virtual environments: its modules venv and ensurepip are missing." >&2
        echo "On Debian and Ubuntu they come with: apt install python3-venv" >&2
        return 1
    fi
    echo "Pabal needs Python 3.11 or newer and found none (looked for: ${PYTHON:-python3, python3.14 … python3.11, python})." >&2
    echo "Install one, or say where it is: make PYTHON=/path/to/python3 …" >&2
    return 1
}

# Programs in an environment name its path, so one that was moved or copied is made anew.
is_usable() {
    fits "$folder/bin/python" && grep -qs "$(pwd -P)/$folder" "$folder/bin/activate"
}

if ! is_usable; then
    python=$(find_python)
    echo "Making $folder with $("$python" --version) …"
    "$python" -m venv --clear "$folder"
fi
if [ "$("$folder/bin/uv" --version 2>/dev/null | cut -d' ' -f2)" != "$uv_version" ]; then
    echo "Installing uv $uv_version …"
    "$folder/bin/python" -m pip install -qq --disable-pip-version-check --require-hashes --requirement "$lock"
fi
