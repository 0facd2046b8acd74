"""Who may do what with schedules and templates: every verb, for each level, on what is theirs, below, beside, above."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.messaging.actions import checking, schedules, templates
from pabal.apps.messaging.errors import ScheduleRefused, TemplateNotFound
from pabal.apps.messaging.model.content import Content, NewTemplate, Template
from pabal.apps.messaging.model.schedules import NewSchedule, Schedule
from pabal.apps.messaging.store import schedules as schedule_store
from pabal.apps.messaging.store import templates as template_store
from pabal.base.database import Database, Tx
from pabal.base.errors import NotFound
from pabal.platform import tenants
from pabal.platform.actor import ENGINE, Actor, NotAllowed, Role
from pabal.platform.tenants import Level, Unit, UnitNotFound, visible_to
from tests.apps.messaging.asking import NINE, asked, begin_at
from tests.support.messaging import World, add_room, make_world
from tests.support.people import person
from tests.support.work import undone

OF_A_BRANCH = pytest.mark.req("A-01", "A-106", "A-153")
Verb = Callable[[Tx, Actor, "Thing"], Awaitable[Any]]


@dataclass(frozen=True)
class Thing:
    """A unit's room, and what is there."""

    unit: Unit
    new: NewSchedule
    schedule: Schedule
    template: Template


async def create(tx: Tx, actor: Actor, thing: Thing) -> None:
    made = await schedules.create(tx, actor, thing.new)
    assert (made.unit_id, made.created_by) == (thing.unit.id, actor.name)


async def read(tx: Tx, actor: Actor, thing: Thing) -> None:
    scope = await visible_to(tx, actor)
    found = await schedule_store.get_schedule(tx, scope, thing.schedule.id)
    listed = await schedule_store.list_schedules(tx, scope)
    assert found in listed.items


async def edit(tx: Tx, actor: Actor, thing: Thing) -> None:
    after = await schedules.edit(tx, actor, thing.schedule.id, replace(thing.new, title="바뀐 제목"))
    assert after.title == "바뀐 제목"


async def keep(tx: Tx, actor: Actor, thing: Thing) -> None:
    await schedules.skip(tx, ENGINE, thing.schedule.id, NINE)
    await schedules.keep(tx, actor, thing.schedule.id, NINE)


async def check(tx: Tx, actor: Actor, thing: Thing) -> None:
    await checking.check(tx, actor, thing.new, schedule_id=thing.schedule.id)


async def save_template(tx: Tx, actor: Actor, thing: Thing) -> None:
    made = await templates.save(tx, actor, NewTemplate("새 템플릿", "글", unit_id=thing.unit.id))
    assert made.unit_id == thing.unit.id


async def edit_template(tx: Tx, actor: Actor, thing: Thing) -> None:
    after = await templates.edit(tx, actor, thing.template.id, replace(thing.template.as_new(), text="바뀐 글"))
    assert after.text == "바뀐 글"


VERBS: tuple[Verb, ...] = (
    create,
    edit,
    keep,
    check,
    save_template,
    edit_template,
    lambda tx, actor, thing: schedules.toggle(tx, actor, thing.schedule.id),
    lambda tx, actor, thing: schedules.deactivate(tx, actor, thing.schedule.id),
    lambda tx, actor, thing: schedules.activate(tx, actor, thing.schedule.id),
    lambda tx, actor, thing: schedules.skip(tx, actor, thing.schedule.id),
    lambda tx, actor, thing: schedules.send_now(tx, actor, thing.schedule.id),
    lambda tx, actor, thing: schedules.delete(tx, actor, thing.schedule.id),
    lambda tx, actor, thing: templates.delete(tx, actor, thing.template.id),
)


@pytest.mark.parametrize(
    ("level", "mine", "others"),
    [
        pytest.param("hq", "hq busan dongnae myeongnyun", "", marks=pytest.mark.req("A-01", "A-12", "A-103")),
        pytest.param("busan", "busan dongnae myeongnyun", "seoul gangnam hq", marks=pytest.mark.req("A-01", "A-104")),
        pytest.param(
            "dongnae", "dongnae myeongnyun", "haeundae seoul busan hq", marks=pytest.mark.req("A-01", "A-105")
        ),
        pytest.param("myeongnyun", "myeongnyun", "haeundae gangnam dongnae hq", marks=OF_A_BRANCH),
    ],
)
async def test_each_level_does_everything_with_its_own_and_what_is_below_and_nothing_with_the_rest(
    db: Database, tmp_path: Path, level: str, mine: str, others: str
):
    world = await make_world(db, tmp_path)
    await begin_at(db)
    units = await grow(world)
    things = {name: await furnish(world, units[name]) for name in f"{mine} {others}".split()}
    operator, admin, viewer = (person(units[level], role) for role in (Role.OPERATOR, Role.ADMIN, Role.VIEWER))

    for verb in VERBS:
        for name in mine.split():
            async with undone(db) as tx:
                await verb(tx, operator, things[name])
            async with undone(db) as tx:
                with pytest.raises(NotAllowed):
                    await verb(tx, viewer, things[name])
        for name in others.split():
            async with undone(db) as tx:
                with pytest.raises((NotFound, ScheduleRefused)) as refused:
                    await verb(tx, operator, things[name])
            assert not isinstance(refused.value, ScheduleRefused) or "room_not_found" in codes(refused.value)
    for name in mine.split():
        async with undone(db) as tx:
            await read(tx, viewer, things[name])
            await template_store.get_template(tx, await visible_to(tx, viewer), things[name].template.id)
            await schedules.purge(tx, admin, things[name].schedule.id)
    for name in others.split():
        async with undone(db) as tx:
            with pytest.raises(NotFound):
                await read(tx, admin, things[name])
            with pytest.raises(NotFound):
                await schedules.purge(tx, admin, things[name].schedule.id)


@pytest.mark.req("A-155")
async def test_room_bot_owner_template_and_images_must_be_in_sight_when_a_schedule_is_saved(
    db: Database, tmp_path: Path
):
    world = await make_world(db, tmp_path)
    await begin_at(db)
    units = await grow(world)
    beside, above = await furnish(world, units["gangnam"]), await furnish(world, units["busan"])
    new, me = asked(world), person(world.tree.haeundae, Role.OPERATOR)
    picture = replace(new.content, images_1=(world.picture,))

    async def refused(actor: Actor, asked: NewSchedule) -> list[str]:
        async with undone(db) as tx:
            with pytest.raises(ScheduleRefused) as error:
                await schedules.create(tx, actor, asked)
        return codes(error.value)

    assert await refused(me, replace(new, room_id=beside.new.room_id)) == ["room_not_found"]
    assert await refused(me, replace(new, room_id=above.new.room_id)) == ["room_not_found"]
    assert await refused(me, replace(new, bot_id=10**9)) == ["bot_not_found"]
    assert await refused(me, replace(new, unit_id=units["busan"].id)) == ["unit_not_found"]
    assert await refused(me, replace(new, template_id=beside.template.id)) == ["template_not_found"]
    boss = person(units["busan"])
    assert await refused(boss, replace(new, unit_id=units["dongnae"].id)) == ["room_not_below_unit"]
    assert await refused(person(units["gangnam"]), replace(beside.new, content=picture)) == ["image_not_found"]


async def test_templates_are_shared_downwards_to_use_and_not_to_change(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    await begin_at(db)
    units = await grow(world)
    boss, me = person(units["busan"], number=5), person(world.tree.haeundae, Role.OPERATOR)
    async with db.transaction() as tx:
        new = NewTemplate("총판 공지", "글", unit_id=units["busan"].id)
        shared = await templates.save(tx, ENGINE, replace(new, images_1=(world.picture,)))
        hidden = await templates.save(tx, person(units["seoul"]), NewTemplate("서울 공지", "글"))

    async with db.transaction() as tx:
        scope = await visible_to(tx, me)
        assert (await template_store.list_templates(tx, scope)).items == [shared]
        assert await template_store.get_template(tx, scope, shared.id) == shared
        content = Content(shared.text, shared.images_1)
        made = await schedules.create(tx, me, asked(world, content=content, template_id=shared.id))
        for verb in (templates.edit(tx, me, shared.id, shared.as_new()), templates.delete(tx, me, shared.id)):
            with pytest.raises(TemplateNotFound):
                await verb
        with pytest.raises(TemplateNotFound):
            await template_store.get_template(tx, scope, hidden.id)
        with pytest.raises(UnitNotFound):
            await templates.save(tx, me, new)

    async with db.transaction() as tx:
        used = await template_store.get_template(tx, await visible_to(tx, boss), shared.id)
        assert (used.schedules, used.sends, used.unit_name) == (1, 0, "부산총판")
    assert made.content.images_1 == shared.images_1


def codes(error: BaseException) -> list[str]:
    assert isinstance(error, ScheduleRefused)
    return [one.code for one in error.findings]


async def grow(world: World) -> dict[str, Unit]:
    """With an agency and a branch below it: HQ over distributor over agency over branch."""
    tree = world.tree
    async with world.db.transaction() as tx:
        dongnae = await tenants.add_unit(tx, ENGINE, parent_id=tree.busan.id, level=Level.AGENCY, name="동래대리점")
        branch = await tenants.add_unit(tx, ENGINE, parent_id=dongnae.id, level=Level.BRANCH, name="명륜점")
    return {
        "hq": tree.hq,
        "busan": tree.busan,
        "dongnae": dongnae,
        "myeongnyun": branch,
        "haeundae": tree.haeundae,
        "seoul": tree.seoul,
        "gangnam": tree.gangnam,
    }


async def furnish(world: World, unit: Unit) -> Thing:
    """The world's bot is in every room: whoever sees a room may use it."""
    room = await add_room(world.db, unit, f"1830{unit.id}", f"{unit.name} 방", bots=[world.bot_id])
    new = asked(world, room_id=room)
    async with world.db.transaction() as tx:
        template = await templates.save(tx, ENGINE, NewTemplate(f"{unit.name} 템플릿", "글", unit_id=unit.id))
        return Thing(unit, new, await schedules.create(tx, ENGINE, new), template)
