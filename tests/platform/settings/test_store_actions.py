import asyncio
from dataclasses import replace
from typing import Any

import pytest

from pabal.base.database import Database
from pabal.engine.reading import Wanted, read_page, start_cursor
from pabal.platform import audit, settings
from pabal.platform.actor import NotAllowed, Role
from pabal.platform.settings import SettingChanged, SettingOutOfRange
from pabal.platform.tenants import HeadOfficeOnly
from tests.platform.settings.test_store import TRIES
from tests.support.people import person, plant


async def test_a_change_is_kept_with_who_made_it_and_when(db: Database) -> None:
    admin = person((await plant(db)).hq)

    async with db.transaction() as tx:
        changed = await settings.change(tx, admin, TRIES, "5")

    async with db.transaction() as tx:
        assert await settings.get_setting(tx, TRIES) == changed
    assert (changed.value, changed.version, changed.is_changed) == (5, 1, True)
    assert (changed.changed_by, changed.changed_by_label) == (admin.name, admin.label)
    assert changed.changed_at is not None


async def test_a_change_is_audited_and_announced_with_before_and_after(db: Database) -> None:
    admin = person((await plant(db)).hq)
    async with db.transaction() as tx:
        cursor = await start_cursor(tx)

    async with db.transaction() as tx:
        await settings.change(tx, admin, TRIES, 5)

    async with db.transaction() as tx:
        [entry] = await audit.list_entries(tx, audit.Wanted(about="setting:test.tries"))
        [fact] = (await read_page(tx, cursor, Wanted(("settings.*",)))).facts
    assert (entry.action, entry.before, entry.after) == ("settings.change", {"value": "3"}, {"value": "5"})
    assert (fact.name, fact.subject) == (settings.CHANGED, "setting:test.tries")
    assert fact.data == {"key": "test.tries", "actor": admin.name, "before": "3", "after": "5"}


async def test_the_same_value_again_changes_and_writes_nothing(db: Database) -> None:
    hq = (await plant(db)).hq
    async with db.transaction() as tx:
        first = await settings.change(tx, person(hq), TRIES, 5)

    async with db.transaction() as tx:
        again = await settings.change(tx, person(hq, number=2), TRIES, "5")
        entries = await audit.list_entries(tx, audit.Wanted(about="setting:test.tries"))

    assert again == first
    assert len(entries) == 1


async def test_a_reset_gives_the_default_and_remembers_who_did_it(db: Database) -> None:
    admin = person((await plant(db)).hq)
    async with db.transaction() as tx:
        await settings.change(tx, admin, TRIES, 5)

    async with db.transaction() as tx:
        back = await settings.reset(tx, admin, TRIES)
        [entry, _] = await audit.list_entries(tx, audit.Wanted(about="setting:test.tries"))

    assert (back.value, back.version, back.is_changed, back.changed_by) == (3, 2, False, admin.name)
    assert (entry.action, entry.before, entry.after) == ("settings.reset", {"value": "5"}, {"value": "3"})


async def test_who_saw_an_older_version_is_told(db: Database) -> None:
    admin = person((await plant(db)).hq)
    async with db.transaction() as tx:
        await settings.change(tx, admin, TRIES, 5, version=0)

    with pytest.raises(SettingChanged):
        async with db.transaction() as tx:
            await settings.change(tx, admin, TRIES, 6, version=0)

    async with db.transaction() as tx:
        assert await settings.value(tx, TRIES) == 5


async def test_of_two_who_change_it_first_at_once_one_is_told(db: Database) -> None:
    admin = person((await plant(db)).hq)

    async def change(to: int) -> Any:
        async with db.transaction() as tx:
            return await settings.change(tx, admin, TRIES, to, version=0)

    ends = await asyncio.gather(change(5), change(6), return_exceptions=True)

    assert sorted(type(end).__name__ for end in ends) == ["Listed", "SettingChanged"]


async def test_a_value_out_of_bounds_changes_nothing(db: Database) -> None:
    admin = person((await plant(db)).hq)

    with pytest.raises(SettingOutOfRange):
        async with db.transaction() as tx:
            await settings.change(tx, admin, TRIES, "10")

    async with db.transaction() as tx:
        assert (await settings.get_setting(tx, TRIES)).version == 0


async def test_only_an_administrator_changes_settings(db: Database) -> None:
    hq = (await plant(db)).hq

    for role in (Role.VIEWER, Role.OPERATOR):
        with pytest.raises(NotAllowed):
            async with db.transaction() as tx:
                await settings.change(tx, person(hq, role), TRIES, 5)
        with pytest.raises(NotAllowed):
            async with db.transaction() as tx:
                await settings.reset(tx, person(hq, role), TRIES)


async def test_an_administrator_below_the_head_office_changes_nothing_for_the_house(db: Database) -> None:
    tree = await plant(db)

    with pytest.raises(HeadOfficeOnly):
        async with db.transaction() as tx:
            await settings.change(tx, person(tree.busan), TRIES, 5)


async def test_a_token_without_the_scope_changes_nothing(db: Database) -> None:
    admin = person((await plant(db)).hq)

    with pytest.raises(NotAllowed):
        async with db.transaction() as tx:
            await settings.change(tx, replace(admin, scopes=("jobs:manage", "settings:read")), TRIES, 5)
