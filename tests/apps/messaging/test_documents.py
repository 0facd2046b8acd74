"""What is written about messaging: all a reader may meet is on its page, and nothing but PostgreSQL is needed."""

import re
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from bench.__main__ import NAMES
from pabal.apps.messaging import SLICE
from pabal.platform.services import Services

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "apps" / "messaging.md"
RUNNING = ROOT / "docs" / "operations" / "messaging.md"
# families whose every state the page explains
EXPLAINED = ("message_schedule", "delivery")
FIGURES = {"dispatch", "bulk", "bots", "upload"}
# brokers and schedulers under the names their clients are installed by
NOT_NEEDED = {
    "apscheduler",
    "celery",
    "redis",
    "aioredis",
    "rq",
    "pika",
    "aio-pika",
    "kombu",
    "aiormq",
    "valkey",
}


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def list_kinds() -> list[str]:
    """Nothing is sent: the handlers are only built, and asked for their names."""
    nothing = cast(Services, SimpleNamespace(database=None, files=None))
    return list(SLICE.make_kinds(nothing))


def list_named() -> dict[str, list[str]]:
    own = [setting for setting in SLICE.settings if not setting.key.startswith("alerts.")]
    tables = re.findall(r"create table pabal\.(\w+)", read(cast(Path, SLICE.migrations) / "0001_messaging.sql"))
    return {
        "pages": [item.href for item in SLICE.nav],
        "menu": [word for item in SLICE.nav for word in item.label],
        "kinds": list_kinds(),
        "groups": [setting.group[0] for setting in own],
        "settings": [setting.key.removeprefix("messaging.") for setting in own],
        "measures": [measure.name.removeprefix("messaging.") for measure in SLICE.measures],
        "machines": [f"<!-- machine: {machine.name} -->" for machine in SLICE.machines],
        "tables": tables,
        "figures": [name for name in NAMES if name in FIGURES],
        "states": [word for family in EXPLAINED for status in SLICE.status[family].values() for word in status.word],
    }


@pytest.mark.req("A-175")
@pytest.mark.parametrize("what", list(list_named()))
def test_the_page_names_everything_a_reader_may_meet(what: str):
    names, page = list_named()[what], read(PAGE)

    assert len(names) >= 2
    # whole words: `retry_after` does not name `retry`
    assert [name for name in names if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", page)] == []


@pytest.mark.req("A-175")
def test_every_line_of_the_list_has_a_test_and_every_figure_what_it_must_reach():
    lines = re.findall(r"^\| (A-\d+) \|", read(ROOT / "docs" / "requirements" / "messaging.md"), re.MULTILINE)
    tests = "".join(read(path) for path in (ROOT / "tests").rglob("test_*.py"))
    figures = read(ROOT / "docs" / "benchmarks.md")

    assert len(lines) == 219
    assert [line for line in lines if f'"{line}"' not in tests] == []
    sections = [figures.partition(f"\n## {name}\n")[2].partition("\n## ")[0] for name in FIGURES]
    assert all(re.search(r"^\|.*\d.*\|$", section, re.MULTILINE) for section in sections)


@pytest.mark.req("A-116")
def test_nothing_but_postgresql_is_needed_and_the_page_says_what_was_weighed():
    declared = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]["dependencies"]
    installed = {re.split(r"[\[<>=~! ]", name)[0].lower() for name in declared}
    # a service of a profile is started only by who asks for it
    started = [part for part in re.split(r"\n  (?=\w)", read(ROOT / "compose.yaml")) if "profiles:" not in part]
    composed = set(re.findall(r"^ *image: (\S+?):", "\n".join(started), re.MULTILINE))
    _, _, weighed = read(PAGE).partition("\n### Ways that were weighed\n")

    assert "asyncpg" in installed
    assert installed & NOT_NEEDED == set()
    assert composed == {"postgres", "pabal", "caddy"}
    for way in ("the database is the schedule (**chosen**)", "APScheduler in memory", "Redis or RabbitMQ"):
        assert f"| {way} |" in weighed.partition("\n### ")[0]


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("Two servers at all times", ("1490", "1491", "pabal msg load")),
        ("Replacing servers without a pause", ("Drain", "/readyz")),
        pytest.param(
            "After an outage",
            ("10 seconds", "PABAL_RECONNECT_WAIT", "5 minutes", "deliveries/recent", "the log is asked"),
            marks=pytest.mark.req("A-217"),
        ),
        pytest.param("Clocks", ("Run NTP", "engine.clock_skew"), marks=pytest.mark.req("A-207")),
        pytest.param(
            "Tuning",
            ("60, 30, 120 s", "PABAL_POOL_SIZE", "skip locked", "claim_batch_size", "messaging.lane"),
            marks=pytest.mark.req("A-218"),
        ),
    ],
)
def test_whoever_runs_it_finds_how(heading: str, words: tuple[str, ...]):
    _, _, rest = read(RUNNING).partition(f"\n## {heading}\n")
    section = rest.partition("\n## ")[0]

    assert [word for word in words if word not in section] == []
