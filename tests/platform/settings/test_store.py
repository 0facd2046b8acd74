from datetime import timedelta

import pytest

from pabal.base.database import Database
from pabal.base.sql import load
from pabal.platform import settings
from pabal.platform.actor import ENGINE
from pabal.platform.settings import Catalogue, Setting

SQL = load(__file__)
GROUP = ("Test", "시험")
TRIES = Setting(key="test.tries", default=3, label=("Tries", "횟수"), help=("", ""), group=GROUP, least=1, most=9)
WAIT = Setting(key="test.wait", default=timedelta(seconds=5), label=("Wait", "대기"), help=("", ""), group=GROUP)
CATALOGUE = Catalogue([TRIES, WAIT])


async def test_a_setting_nobody_changed_has_its_default(db: Database) -> None:
    async with db.transaction() as tx:
        assert await settings.value(tx, TRIES) == 3
        listed = await settings.list_settings(tx, CATALOGUE)

    assert [(one.setting.key, one.value, one.version, one.is_changed) for one in listed] == [
        ("test.tries", 3, 0, False),
        ("test.wait", timedelta(seconds=5), 0, False),
    ]


async def test_several_are_read_together_each_with_its_own_type(db: Database) -> None:
    async with db.transaction() as tx:
        await settings.change(tx, ENGINE, WAIT, timedelta(minutes=2))

        now = await settings.values(tx, [TRIES, WAIT])

    assert now[TRIES] == 3
    assert now[WAIT] == timedelta(minutes=2)


async def test_what_was_not_asked_for_is_not_answered_with_a_default(db: Database) -> None:
    async with db.transaction() as tx:
        now = await settings.values(tx, [WAIT])

    with pytest.raises(KeyError):
        now[TRIES]


async def test_a_kept_value_that_is_no_longer_allowed_gives_the_default_and_says_so(db: Database) -> None:
    async with db.transaction() as tx:
        await tx.run(SQL.keep_value, key="test.tries", value="99")

        current = await settings.value(tx, TRIES)
        listed = await settings.get_setting(tx, TRIES)

    assert current == 3
    assert listed.problem is not None
    assert "99" in listed.problem


async def test_rows_of_settings_that_no_longer_exist_are_named_and_do_nothing(db: Database) -> None:
    async with db.transaction() as tx:
        await tx.run(SQL.keep_value, key="gone.setting", value="1")
        await settings.change(tx, ENGINE, TRIES, 4)

        listed = await settings.list_settings(tx, CATALOGUE)
        unknown = await settings.list_unknown(tx, CATALOGUE)

    assert [one.setting.key for one in listed] == ["test.tries", "test.wait"]
    assert unknown == ["gone.setting"]
