"""`pabal config`: settings of the platform and of every app that is loaded."""

from pathlib import Path

from pabal.base.database import Database
from pabal.platform import settings
from pabal.platform.actor import ENGINE
from pabal.platform.backup.plan import KEEP_DAYS
from pabal.platform.settings import Setting
from tests.cli.inside import Inside

GONE = Setting(key="old.days", default=1, label=("Days", "날"), help=("Days.", "날."), group=("Old", "옛"))
MINE = """
from pabal.platform.settings import Setting
from pabal.platform.slice import Slice

DAYS = Setting(key="mine.days", default=3, label=("Days", "날"), help=("", ""), group=("Mine", "내"), seed="3일")
SLICE = Slice("mine", settings=(DAYS,))
"""


async def test_every_setting_is_listed_those_of_a_loaded_app_too(run: Inside, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)

    listed = (await run("config", "list", "-o", "json", "--app", str(tmp_path / "mine.py"))).json["items"]
    backup = (await run("config", "list", "--area", "backup", "-o", "plain")).out

    assert {"backup.keep_days", "mine.days", "notifications.keep"} <= {one["key"] for one in listed}
    assert {line.split(".")[0] for line in backup.splitlines()} == {"backup"}


async def test_a_setting_is_changed_read_and_reset(db: Database, run: Inside) -> None:
    changed = (await run("config", "set", "backup.keep_days", "30", "-o", "json")).json
    value = await run("config", "get", "backup.keep_days", "-o", "plain")
    async with db.transaction() as tx:
        held = await settings.value(tx, KEEP_DAYS)
    back = (await run("config", "reset", "backup.keep_days", "-o", "json")).json

    assert (changed["value"], changed["changed_by"][:4]) == ("30", "cli:")
    assert (value.out, held) == ("30\n", 30)
    assert (back["value"], back["is_changed"]) == ("14", False)


async def test_a_dry_run_checks_the_value_and_keeps_the_old_one(run: Inside) -> None:
    fine = await run("config", "set", "backup.keep_days", "30", "--dry-run", "-o", "json")
    bad = await run("config", "set", "backup.keep_days", "0", "--dry-run")

    assert (fine.json["value"], bad.code) == ("30", 2)
    assert (await run("config", "get", "backup.keep_days", "-o", "plain")).out == "14\n"


async def test_diff_shows_what_differs_and_what_no_app_knows(db: Database, run: Inside) -> None:
    same = await run("config", "diff")
    await run("config", "set", "backup.time", "04:00")
    async with db.transaction() as tx:
        await settings.change(tx, ENGINE, GONE, 5)

    told = await run("config", "diff", "-o", "json")

    assert (same.out, same.err) == ("", "Everything is at its default.\n")
    assert [(one["key"], one["value"], one["default"]) for one in told.json["items"]] == [
        ("backup.time", "04:00", "03:30")
    ]
    assert told.json["unknown"] == ["old.days"]


async def test_an_unknown_key_and_a_bad_value_are_named_in_korean(run: Inside) -> None:
    unknown = await run("config", "get", "no.such", "--lang", "ko")
    wrong = await run("config", "set", "backup.check_day", "someday", "--lang", "ko")

    assert (unknown.code, wrong.code) == (3, 2)
    assert "pabal config list" in unknown.err
    assert "setting_not_a_choice" in wrong.err
