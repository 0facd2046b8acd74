"""What is written about ad groups: all a reader may meet is on its page, and whoever runs it finds how."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from pabal.apps.adgroups import SLICE
from pabal.apps.adgroups.labels import EVENTS, STATES
from pabal.apps.adgroups.model.adgroups import Event, State
from pabal.platform.services import Services

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "apps" / "adgroups.md"
MIGRATION = ROOT / "docs" / "apps" / "adgroups-migration.md"
RUNNING = ROOT / "docs" / "operations" / "adgroups.md"
ROOMS = (ROOT / "src/pabal/apps/adgroups", ROOT / "src/pabal")


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def list_kinds() -> list[str]:
    """Nothing is written: the handlers are only built, and asked for their names."""
    nothing = cast(Services, SimpleNamespace(database=None, files=None, settings=SimpleNamespace(serving_url="")))
    return list(SLICE.make_kinds(nothing))


def list_named() -> dict[str, list[str]]:
    own = [setting for setting in SLICE.settings if not setting.key.startswith("alerts.")]
    tables = [
        name
        for path in cast(Path, SLICE.migrations).glob("*.sql")
        for name in re.findall(r"create table pabal\.(\w+)", read(path))
    ]
    return {
        "pages": [item.href for item in SLICE.nav],
        "menu": [word for item in SLICE.nav for word in item.label],
        "states": [word for state in State for word in (state.upper(), *STATES[state])],
        "events": [word for event in Event for word in (event.upper(), EVENTS[event][1])],
        "kinds": list_kinds(),
        "groups": [setting.group[0] for setting in own],
        "settings": [setting.key.removeprefix("adgroups.") for setting in own],
        "measures": [measure.name.removeprefix("adgroups.") for measure in SLICE.measures],
        "tables": tables,
        "contradictions": [f"CE-{number:02}" for number in range(1, 14)],
        "counterparts": ["guards", "actions", "listener", "service", "delayed scheduler", "processor", "event DTO"],
    }


@pytest.mark.req("E-88")
@pytest.mark.parametrize("what", list(list_named()))
def test_the_page_names_everything_a_reader_may_meet(what: str):
    names, page = list_named()[what], read(PAGE)

    assert len(names) >= 2
    # whole words: `compare_every` does not name `compare`
    assert [name for name in names if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", page)] == []


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("What it needs", ("PABAL_SERVING_URL", "PABAL_BROKER_URL", "pabal[broker]", "noeviction")),
        pytest.param(
            "When delayed events are late",
            ("/ads/delayed?late=1", "scheduler", "Recovery is starting a server", "Set aside"),
            marks=pytest.mark.req("E-101"),
        ),
        pytest.param("Two servers at all times", ("pabal serve", "no leader"), marks=pytest.mark.req("E-101")),
        pytest.param("Duplicates, order and clocks", ("Idempotency-Key", "locked"), marks=pytest.mark.req("E-102")),
        pytest.param(
            "Migrating in production",
            ("migration check", "migration rollback", "--even-touched", "flag set", "percent", "resume"),
            marks=pytest.mark.req("E-103"),
        ),
        pytest.param("Midnight", ("1,000", "adgroups.late_events"), marks=pytest.mark.req("E-104")),
    ],
)
def test_whoever_runs_it_finds_how(heading: str, words: tuple[str, ...]):
    _, _, rest = read(RUNNING).partition(f"\n## {heading}\n")
    section = rest.partition("\n## ")[0]

    assert [word for word in words if word not in section] == []


# by its name there: the module that has it here, and what it is called in it
PARTS = {
    "config": ("machine.py", "AD_GROUP"),
    "guards": ("machine.py", "setup_complete"),
    "actions": ("engine/transitions.py", "transition"),
    "listener": ("engine/transitions.py", "history"),
    "service": ("actions/events.py", "send"),
    "delayed scheduler": ("machine.py", "when_approved"),
    "processor": ("engine/timers.py", "fire_once"),
    "event DTO": ("platform/broker/model.py", "Event"),
}


@pytest.mark.req("E-62")
@pytest.mark.parametrize(("part", "module", "name"), [(part, *where) for part, where in PARTS.items()])
def test_each_part_of_the_module_structure_has_its_own_room(part: str, module: str, name: str):
    _, _, table = read(PAGE).partition("\n| There | Here |\n")
    rows = [line for line in table.partition("\n\n")[0].splitlines() if part in line.split("|")[1]]
    named = [path for line in rows for path in re.findall(r"`([\w/]+\.py)`", line)]
    [found] = [folder / module for folder in ROOMS if (folder / module).exists()]

    assert module in named
    assert [path for path in named if not any((folder / path).exists() for folder in ROOMS)] == []
    assert re.search(rf"^(async def |def |class )?{name}\b", read(found), re.MULTILINE)
