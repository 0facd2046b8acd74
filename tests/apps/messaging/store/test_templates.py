from pathlib import Path

import pytest

from pabal.apps.messaging.actions import schedules
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.store.templates import get_picture_file
from pabal.base.database import Database
from pabal.platform.actor import Actor
from pabal.platform.storage import FileNotFound
from pabal.platform.tenants import visible_to
from tests.apps.messaging.asking import asked, begin_at, save
from tests.support.messaging import make_world, upload
from tests.support.people import person


async def test_a_superiors_image_is_seen_where_it_is_shown_and_nowhere_else(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    await begin_at(db)
    boss, me, beside = person(world.tree.hq), person(world.tree.haeundae), person(world.tree.nampo)
    picture = await upload(db, world.files, world.tree.hq, name="본사.png", colour=7)

    async def seen(actor: Actor) -> str:
        async with db.transaction() as tx:
            return (await get_picture_file(tx, await visible_to(tx, actor), picture.file_id)).name

    with pytest.raises(FileNotFound):
        await seen(me)
    made = await save(world, boss, content=Content(None, (picture,)))
    assert [await seen(actor) for actor in (boss, me)] == ["본사.png", "본사.png"]
    with pytest.raises(FileNotFound):
        await seen(beside)

    # so a branch may copy what its superior made for it, and edit it without losing the image
    async with db.transaction() as tx:
        copied = await schedules.create(tx, me, made.as_new())
        await schedules.edit(tx, me, made.id, made.as_new())
        await schedules.delete(tx, me, made.id)
        await schedules.delete(tx, me, copied.id)
        await schedules.create(tx, me, asked(world))
    with pytest.raises(FileNotFound):
        await seen(me)
