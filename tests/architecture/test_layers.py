"""The floors of the house (STYLE 3.1, 3.4): the contracts hold, and each of them can break."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import PROJECT, write

FLOORS = (
    "pabal.base.database",
    "pabal.base.pools",
    "pabal.engine.queue",
    "pabal.platform.audit",
    "pabal.apps.messaging",
    "pabal.apps.rules",
    "pabal.cli.jobs",
    "pabal.console.pages",
)
SINGLE = ("pabal.main", "pabal.web", "pabal.health", "pabal.serving", "pabal.testing")


def layer_faults(root: Path) -> str:
    """What lint-imports says against the code below root; empty when all contracts are kept."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"]
    done = subprocess.run(
        [*command, "--config", str(PROJECT / "pyproject.toml")],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_each_floor_stands_only_on_those_below():
    assert layer_faults(PROJECT) == ""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """All five floors with nothing in them but the doors to PostgreSQL, also those not built yet."""
    for name in FLOORS:
        parts = name.split(".")
        for depth in range(1, len(parts)):
            write(tmp_path, f"src/{'/'.join(parts[:depth])}/__init__.py", "")
    for name in (*FLOORS, *SINGLE):
        write(tmp_path, f"src/{name.replace('.', '/')}.py", "")
    for door in ("pabal.base.database", "pabal.base.pools"):
        _plant(tmp_path, door, "asyncpg")
    return tmp_path


def test_what_the_rules_allow_passes(house: Path):
    _plant(house, "pabal.engine.queue", "pabal.base.database")
    _plant(house, "pabal.testing", "pabal.engine.queue")
    _plant(house, "pabal.platform.audit", "pabal.engine.queue")
    _plant(house, "pabal.apps.rules", "pabal.platform.audit")
    _plant(house, "pabal.main", "pabal.apps.rules")
    _plant(house, "pabal.cli.jobs", "pabal.main")
    _plant(house, "pabal.web", "fastapi")

    assert layer_faults(house) == ""


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("pabal.base.database", "pabal.engine.queue"),
        ("pabal.engine.queue", "pabal.platform.audit"),
        ("pabal.engine.queue", "pabal.main"),
        ("pabal.engine.queue", "pabal.testing"),
        ("pabal.engine.queue", "asyncpg"),
        ("pabal.engine.queue", "fastapi"),
        ("pabal.platform.audit", "pabal.apps.rules"),
        ("pabal.platform.audit", "pabal.testing"),
        ("pabal.platform.audit", "asyncpg"),
        ("pabal.apps.rules", "pabal.apps.messaging"),
        ("pabal.apps.rules", "pabal.web"),
        ("pabal.apps.rules", "pabal.testing"),
        ("pabal.cli.jobs", "asyncpg"),
        ("pabal.testing", "pabal.main"),
        ("pabal.testing", "pabal.platform.audit"),
    ],
)
def test_an_import_against_the_rules_is_caught(house: Path, module: str, imported: str):
    _plant(house, module, imported)

    told = layer_faults(house)

    assert "BROKEN" in told
    assert f"{module} -> {imported}" in told


def _plant(house: Path, module: str, imported: str) -> None:
    with (house / "src" / f"{module.replace('.', '/')}.py").open("a") as file:
        file.write(f"import {imported}\n")
