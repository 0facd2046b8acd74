"""The simulated nexrender is a witness: it shares no code with the app it watches (decision 18)."""

import re

from tests.architecture.source import PROJECT, files

ROOM = "src/pabal/apps/rendering/simulator"
_OF_APPS = re.compile(r"\bpabal\.apps\.(?!rendering\.simulator\b)")


def test_the_simulator_imports_nothing_of_any_app_but_itself() -> None:
    modules = list(files(PROJECT, "*.py", folders=(ROOM,)))

    assert modules
    assert [one.name for one in modules if _OF_APPS.search(one.read_text(encoding="utf-8"))] == []
