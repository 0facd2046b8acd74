import pytest

from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine import queue
from pabal.platform import audit, backup
from pabal.platform.actor import Actor, NotAllowed, Role
from pabal.platform.backup import BackupNotFound, BackupNotWhole
from pabal.platform.tenants import HeadOfficeOnly
from tests.support.people import person, plant

SQL = load(__file__)


async def begin(db: Database, *, is_whole: bool) -> int:
    async with db.transaction() as tx:
        number: int = await tx.value(SQL.begin_backup, is_whole=is_whole, now=tx.now)
        return number


async def test_asking_twice_makes_one_backup_and_one_entry_in_the_audit(db: Database) -> None:
    admin = person((await plant(db)).hq)

    async with db.transaction() as tx:
        first, second = [await backup.back_up_now(tx, admin) for _ in range(2)]

    async with db.transaction() as tx:
        [entry] = await audit.list_entries(tx, audit.Wanted(action="backup.*"))
        assert (await queue.get_place(tx, first.id)).kind == backup.TAKE
    assert (first.is_new, second.is_new) == (True, False)
    assert first.id == second.id
    assert (entry.action, entry.actor) == ("backup.take", admin.name)


async def test_a_check_is_asked_for_once_and_audited(db: Database) -> None:
    admin = person((await plant(db)).hq)
    number = await begin(db, is_whole=True)

    async with db.transaction() as tx:
        first, second = [await backup.check_now(tx, admin, number) for _ in range(2)]
        [entry] = await audit.list_entries(tx, audit.Wanted(action="backup.check"))

    assert first.id == second.id
    assert entry.about == f"backup:{number}"


async def test_only_a_backup_that_is_there_and_whole_can_be_checked(db: Database) -> None:
    admin = person((await plant(db)).hq)
    number = await begin(db, is_whole=False)

    with pytest.raises(BackupNotWhole):
        async with db.transaction() as tx:
            await backup.check_now(tx, admin, number)
    with pytest.raises(BackupNotFound):
        async with db.transaction() as tx:
            await backup.check_now(tx, admin, number + 1)


async def refused(db: Database, actor: Actor, error: type[Exception]) -> None:
    number = await begin(db, is_whole=True)
    with pytest.raises(error):
        async with db.transaction() as tx:
            await backup.back_up_now(tx, actor)
    with pytest.raises(error):
        async with db.transaction() as tx:
            await backup.check_now(tx, actor, number)


async def test_an_operator_looks_but_does_not_back_up(db: Database) -> None:
    operator = person((await plant(db)).hq, Role.OPERATOR)

    await refused(db, operator, NotAllowed)

    async with db.transaction() as tx:
        assert len(await backup.list_backups(tx, operator)) == 1


async def test_an_administrator_below_the_head_office_neither_backs_up_nor_looks(db: Database) -> None:
    admin = person((await plant(db)).busan)

    await refused(db, admin, HeadOfficeOnly)

    with pytest.raises(HeadOfficeOnly):
        async with db.transaction() as tx:
            await backup.list_backups(tx, admin)


async def test_pages_of_backups_go_back_in_time(db: Database) -> None:
    admin = person((await plant(db)).hq)
    numbers = [await begin(db, is_whole=True) for _ in range(3)]

    async with db.transaction() as tx:
        first = await backup.list_backups(tx, admin, limit=2)
        rest = await backup.list_backups(tx, admin, before=first[-1].id)

    assert [one.id for one in [*first, *rest]] == numbers[::-1]


async def test_the_newest_good_one_is_whole(db: Database) -> None:
    whole = await begin(db, is_whole=True)
    await begin(db, is_whole=False)

    async with db.transaction() as tx:
        found = await backup.find_newest_good(tx)

    assert found is not None
    assert found.id == whole
