"""Brings the real Gemini CLI from npm into build; `make test` runs it by itself."""

from pathlib import Path

from tests.support.npm import NpmProgram

GEMINI = NpmProgram("gemini-cli", Path(__file__).parent)

if __name__ == "__main__":
    GEMINI.main()
