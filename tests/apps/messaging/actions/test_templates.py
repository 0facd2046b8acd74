from dataclasses import replace
from pathlib import Path

import pytest

from pabal.apps.messaging.actions import schedules, templates
from pabal.apps.messaging.errors import TemplateNameTaken, TemplateNotFound, TemplateRefused
from pabal.apps.messaging.model.content import Content, NewTemplate
from pabal.apps.messaging.resources.templates import MessageTemplateFilter
from pabal.apps.messaging.store import templates as store
from pabal.base.database import Database
from pabal.platform import audit
from pabal.platform.actor import Role
from pabal.platform.tenants import UnitNotFound, visible_to
from tests.apps.messaging.asking import asked, begin_at, save, uses
from tests.support.messaging import make_world, upload
from tests.support.people import person


@pytest.mark.req("A-95")
async def test_a_template_is_saved_loaded_into_a_schedule_changed_and_removed(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    await begin_at(db)
    me, first = person(world.tree.haeundae, Role.OPERATOR), world.picture
    second = await upload(db, world.files, world.tree.haeundae, colour=3)

    async with db.transaction() as tx:
        made = await templates.save(tx, me, NewTemplate(" 봄  할인 ", "첫 줄\r\n둘째 줄 🌸", (first,), (second,)))
    assert (made.name, made.text, made.unit_id) == ("봄 할인", "첫 줄\n둘째 줄 🌸", world.tree.haeundae.id)
    used = await save(world, me, content=made.content, template_id=made.id)
    assert used.content == Content("첫 줄\n둘째 줄 🌸", (first,), (second,))
    assert used.template_id == made.id

    async with db.transaction() as tx:
        await templates.edit(tx, me, made.id, replace(made.as_new(), text="새 글", images_1=()))
    async with db.transaction() as tx:
        await schedules.delete(tx, me, (await schedules.create(tx, me, asked(world, template_id=made.id))).id)
        scope = await visible_to(tx, me)
        [listed] = (await store.list_templates(tx, scope, MessageTemplateFilter(q="할인"))).items
        assert (listed.text, listed.images_1, listed.schedules) == ("새 글", (), 1)
        assert (await store.list_templates(tx, scope, MessageTemplateFilter(q="%"))).items == []
    assert await uses(db, first.file_id) == [used.about]
    assert await uses(db, second.file_id) == [used.about, made.about]

    async with db.transaction() as tx:
        await templates.delete(tx, me, made.id)
        with pytest.raises(TemplateNotFound):
            await store.get_template(tx, scope, made.id)
        entries = await audit.list_entries(tx, audit.Wanted(about=made.about))
    assert [one.action for one in entries] == [f"messaging.{verb}_template" for verb in ("delete", "edit", "save")]
    assert await uses(db, second.file_id) == [used.about]


async def test_a_unit_that_is_not_there_owns_no_template(db: Database, tmp_path: Path):
    """The head office sees every unit, also those that there are not."""
    world = await make_world(db, tmp_path)
    house, nowhere = person(world.tree.hq), 10**6

    async with db.transaction() as tx:
        made = await templates.save(tx, house, NewTemplate("공지", "글"))
        with pytest.raises(UnitNotFound):
            await templates.save(tx, house, NewTemplate("새 공지", "글", unit_id=nowhere))
        with pytest.raises(UnitNotFound):
            await templates.edit(tx, house, made.id, replace(made.as_new(), unit_id=nowhere))


async def test_a_template_has_a_name_of_its_own_and_something_to_send(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    me, beside = person(world.tree.haeundae), person(world.tree.nampo)
    names = [f"이름 {number}" for number in range(3)]

    async with db.transaction() as tx:
        made = [await templates.save(tx, me, NewTemplate(name, "글")) for name in names]
        await templates.save(tx, beside, NewTemplate(names[0], "글"))
        with pytest.raises(TemplateNameTaken):
            await templates.save(tx, me, NewTemplate(names[0], "글"))
        with pytest.raises(TemplateNameTaken):
            await templates.edit(tx, me, made[0].id, NewTemplate(names[1], "글"))
        for new, expected in (
            (NewTemplate(" ", "글"), "title_missing"),
            (NewTemplate("가" * 101, "글"), "title_too_long"),
            (NewTemplate("빈 것", " "), "nothing_to_send"),
            (NewTemplate("긴 것", "가" * 1001), "text_too_long"),
            (NewTemplate("남의 것", None, (replace(world.picture, file_id=4),)), "image_not_found"),
        ):
            with pytest.raises(TemplateRefused) as refused:
                await templates.save(tx, me, new)
            assert [one.code for one in refused.value.findings] == [expected]
        scope = await visible_to(tx, me)
        first = await store.list_templates(tx, scope, limit=2)
        rest = await store.list_templates(tx, scope, limit=2, cursor=first.cursor)

    assert [one.name for one in (*first.items, *rest.items)] == names
    assert rest.cursor is None
