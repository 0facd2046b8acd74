import asyncio

import pytest

from pabal.base.database import ConstraintBroken, Database
from pabal.platform import audit
from pabal.platform.actor import Actor, NotAllowed, Role
from pabal.platform.audit import Wanted
from pabal.platform.storage import (
    File,
    FileInUse,
    FileNotFound,
    Files,
    Upload,
    accept_file,
    get_file,
    keep,
    read_thumbnail,
    release,
    remove_file,
    store,
)
from pabal.platform.tenants import visible_to
from tests.platform.storage.samples import add_picture, stream
from tests.support.people import person, plant


async def test_a_file_is_seen_in_its_own_subtree_only(db: Database, files: Files):
    tree = await plant(db)
    file = await add_picture(db, files, person(tree.haeundae))

    for unit in (tree.hq, tree.busan, tree.haeundae):
        assert await seen(db, person(unit), file) == file
    for unit in (tree.nampo, tree.seoul, tree.gangnam):
        with pytest.raises(FileNotFound):
            await seen(db, person(unit), file)


async def test_a_narrowed_scope_hides_what_is_beside_it(db: Database, files: Files):
    tree = await plant(db)
    file = await add_picture(db, files, person(tree.haeundae))

    async with db.transaction() as tx:
        scope = await visible_to(tx, person(tree.hq), within=tree.seoul.id)
        with pytest.raises(FileNotFound):
            await get_file(tx, scope, file.id)


async def test_another_branch_cannot_refer_to_or_remove_a_file(db: Database, files: Files):
    tree = await plant(db)
    file = await add_picture(db, files, person(tree.haeundae))

    async with db.transaction() as tx:
        scope = await visible_to(tx, person(tree.nampo))
        with pytest.raises(FileNotFound):
            await keep(tx, scope, file.id, "schedule:7")
        with pytest.raises(FileNotFound):
            await remove_file(tx, person(tree.nampo), file.id)

    async with db.transaction() as tx:
        assert await store.list_uses(tx, file.id) == []
    assert await seen(db, person(tree.haeundae), file) == file


async def test_a_file_that_never_was_is_not_found(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        scope = await visible_to(tx, person(tree.hq))
        with pytest.raises(FileNotFound, match="file_"):
            await get_file(tx, scope, 12345)
        with pytest.raises(FileNotFound):
            await keep(tx, scope, 12345, "schedule:7")
        await release(tx, 12345, "schedule:7")


async def test_a_viewer_removes_nothing(db: Database, files: Files):
    tree = await plant(db)
    file = await add_picture(db, files, person(tree.haeundae))

    async with db.transaction() as tx:
        with pytest.raises(NotAllowed):
            await remove_file(tx, person(tree.haeundae, Role.VIEWER), file.id)


async def test_a_removed_file_is_gone_for_everybody_and_in_the_audit(db: Database, files: Files):
    tree = await plant(db)
    file = await add_picture(db, files, person(tree.haeundae))

    async with db.transaction() as tx:
        await remove_file(tx, person(tree.haeundae, Role.OPERATOR), file.id)

    with pytest.raises(FileNotFound):
        await seen(db, person(tree.hq), file)
    async with db.transaction() as tx:
        [entry] = await audit.list_entries(tx, Wanted(action="files.remove"))
        with pytest.raises(FileNotFound):
            await keep(tx, await visible_to(tx, person(tree.haeundae)), file.id, "schedule:7")
    assert (entry.about, entry.unit_id) == (file.shown_id, tree.haeundae.id)
    assert entry.before is not None
    assert entry.before["name"] == "a.jpg"


async def test_what_is_in_use_cannot_be_removed_and_says_by_whom(db: Database, files: Files):
    tree = await plant(db)
    file = await add_picture(db, files, person(tree.haeundae))
    await use(db, tree.haeundae, file, "schedule:7")

    async with db.transaction() as tx:
        with pytest.raises(FileInUse, match=r"a\.jpg: schedule:7"):
            await remove_file(tx, person(tree.haeundae), file.id)

    async with db.transaction() as tx:
        await release(tx, file.id, "schedule:7")
        await remove_file(tx, person(tree.haeundae), file.id)


async def test_the_database_itself_holds_the_row_of_a_file_in_use(db: Database, files: Files):
    tree = await plant(db)
    file = await add_picture(db, files, person(tree.haeundae))
    await use(db, tree.haeundae, file, "schedule:7")

    with pytest.raises(ConstraintBroken):
        async with db.transaction() as tx:
            await store.doom_file(tx, file.id)


async def test_keeping_and_releasing_twice_is_once(db: Database, files: Files):
    tree = await plant(db)
    file = await add_picture(db, files, person(tree.haeundae))

    await use(db, tree.haeundae, file, "schedule:7")
    await use(db, tree.haeundae, file, "schedule:7")
    async with db.transaction() as tx:
        uses = await store.list_uses(tx, file.id)
        await release(tx, file.id, "schedule:7")
        await release(tx, file.id, "schedule:7")

    assert uses == ["schedule:7"]
    async with db.transaction() as tx:
        assert await store.list_uses(tx, file.id) == []


async def test_keeping_and_removing_at_once_ends_in_one_of_the_two(db: Database, files: Files):
    tree = await plant(db)

    for _ in range(10):
        file = await add_picture(db, files, person(tree.haeundae))
        kept, removed = await asyncio.gather(
            use(db, tree.haeundae, file, "schedule:7"), remove(db, tree.haeundae, file), return_exceptions=True
        )

        if kept is None:
            assert isinstance(removed, FileInUse)
        else:
            assert isinstance(kept, FileNotFound)
            assert removed is None


async def test_a_plain_file_has_no_thumbnail(db: Database, files: Files):
    tree = await plant(db)
    file = await accept_file(db, files, person(tree.hq), Upload(stream(b"text"), "a.txt"), max_bytes=10)

    with pytest.raises(FileNotFound):
        await read_thumbnail(files, file)


async def seen(db: Database, actor: Actor, file: File) -> File:
    async with db.transaction() as tx:
        return await get_file(tx, await visible_to(tx, actor), file.id)


async def use(db: Database, unit, file: File, about: str) -> None:
    async with db.transaction() as tx:
        await keep(tx, await visible_to(tx, person(unit)), file.id, about)


async def remove(db: Database, unit, file: File) -> None:
    async with db.transaction() as tx:
        await remove_file(tx, person(unit), file.id)
