"""What is imported lazily is loaded when something of it is used, and not before."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from pabal.platform.commands.lazily import lazily


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Modules that tell when they are loaded."""
    told: list[str] = []
    monkeypatch.setattr(sys, "told", told, raising=False)
    (tmp_path / "lazy_one.py").write_text("import sys\nsys.told.append('one')\nvalue = 1")
    (tmp_path / "lazy_two.py").write_text("import sys\nsys.told.append('two')\nimport lazy_three\nvalue = 2")
    (tmp_path / "lazy_three.py").write_text("import sys\nsys.told.append('three')")
    (tmp_path / "lazy_bad.py").write_text("raise ValueError('no paper')")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("lazy_one", "lazy_two", "lazy_three", "lazy_bad"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return told


def test_a_module_is_loaded_when_it_is_used(told: list[str]) -> None:
    with lazily():
        lazy_one = import_module("lazy_one")

    assert told == []
    assert lazy_one.value == 1
    assert told == ["one"]


def test_outside_of_it_imports_are_as_ever(told: list[str]) -> None:
    with lazily(), lazily():
        lazy_two = import_module("lazy_two")
    lazy_one = import_module("lazy_one")

    assert told == ["one"]
    assert (lazy_one.value, lazy_two.value) == (1, 2)
    assert told == ["one", "two", "three"]


def test_what_is_not_there_is_named_at_once(told: list[str]) -> None:
    with pytest.raises(ModuleNotFoundError), lazily():
        import_module("lazy_nowhere")

    assert told == []


def test_what_cannot_be_loaded_is_named_where_it_is_used(told: list[str]) -> None:
    with lazily():
        lazy_bad = import_module("lazy_bad")

    with pytest.raises(ValueError, match="no paper"):
        _ = lazy_bad.value


@pytest.mark.parametrize(
    "described", ["pabal.resources", "pabal.apps.messaging.resources", "pabal.apps.adgroups.resources"]
)
def test_reading_descriptions_loads_no_driver_of_the_database(described: str) -> None:
    """Every command reads them, also one that only helps: what it pays for is what it needs."""
    asked = (
        f"import sys, {described}; print([name for name in ('asyncpg', 'pydantic', 'fastapi') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
