"""Brings the real nexrender from npm into build; `make test` runs it by itself."""

from pathlib import Path

from tests.support.npm import NpmProgram

HERE = Path(__file__).parent
NEXRENDER = NpmProgram("nexrender", HERE)

if __name__ == "__main__":
    NEXRENDER.main()
