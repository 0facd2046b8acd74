"""What is described once, and has a door in REST and one among the pages, gives everybody one answer at both.

The command line is an administrator of the house and calls the same action: its description names it.
"""

import asyncio
import io
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import time, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from fastapi.routing import APIRoute, iter_route_contexts
from PIL import Image

from pabal.apps.adgroups.actions import adgroups, campaigns
from pabal.apps.adgroups.legacy import actions as legacy
from pabal.apps.adgroups.legacy import flags
from pabal.apps.adgroups.legacy.model import FlagKind, FromFile
from pabal.apps.adgroups.model.adgroups import NewAdGroup, NewCampaign, Schedule
from pabal.apps.messaging.actions import bulks, groups, schedules, templates
from pabal.apps.messaging.model.bulks import Audience, NewGroup, Target
from pabal.apps.messaging.model.content import Content, NewTemplate
from pabal.apps.messaging.model.schedules import NewSchedule, ScheduleType, When
from pabal.apps.messaging.store.bulks import list_bulks
from pabal.apps.messaging.store.sending import Occurrence
from pabal.apps.rendering.actions.compositions import put_composition
from pabal.apps.rendering.model.compositions import Composition, FieldMapping
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine import ids, widths, workers
from pabal.platform import auth, events, notifications, storage, tenants
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.auth import NewToken, NewUser
from pabal.platform.events.delivery import bury
from pabal.platform.notifications import ChannelForm, attempts
from pabal.platform.notifications.model import Message
from tests.stories import test_doors, test_doors_for_many
from tests.stories.doors_of_nouns import (
    ADGROUPS,
    AT_FIELD,
    FAMILY,
    FORBIDDEN,
    GFX,
    GROUP,
    HOUSE,
    MESSAGING,
    MISSING,
    NAMED,
    NOUNS,
    OWN,
    RELAY,
    RENDERING,
    RULES,
    SINGLE,
    TOKEN,
    WIRE,
    WORKFLOWS,
    Door,
    Verb,
)
from tests.stories.test_doors import (
    ALONE,
    EVENTS,
    VERBS,
    Asker,
    furnish,
    list_people,
    list_programs,
    patiently,
    unlogged,
    web_settings,
)
from tests.support.messaging import add_room
from tests.support.studio import COMPOSITION
from tests.support.web import Web

__all__ = ["unlogged", "web_settings"]

SQL = load(__file__)
BY_AREA = (MESSAGING, ADGROUPS, RELAY, RENDERING, RULES, HOUSE, WORKFLOWS)
CSV = b"id,campaign,start_at,end_at\nAG1,old,2035-01-01T00:00:00,2035-02-01T00:00:00\n"


async def furnish_nouns(web: Web) -> dict[str, str]:
    """Beside what machines and timetables are about: one of every noun in Haeundae, and those of the whole house."""
    names, unit = await furnish(web), web.unit("haeundae")
    await widths.declare_all(web.db, {FAMILY: 2})
    admin = (await web.person("haeundae", Role.ADMIN)).actor()
    found = await add_room(web.db, None, "18200009", "발견한 방", bots=[int(names["bot"])])
    file = await _upload_csv(web, admin, unit.id)
    run = await legacy.dry_run(web.app.services, admin, FromFile(file), unit.id)
    async with web.db.transaction() as tx:
        units = {name: str(web.unit(name).id) for name in ("busan", "seoul")}
        shop = await tx.value(SQL.find_room, channel_id="18200001")
        made = {**await _add_ads(tx, admin), **await _add_people(tx, web, admin), **await _add_composition(tx, admin)}
        mismatch = await tx.value(SQL.add_mismatch, unit_id=unit.id, ad_group_id=int(made["draft"]), now=tx.now)
        backup = await tx.value(SQL.add_backup, now=tx.now)
        server = await workers.insert_worker(tx, host="here", meta={})
        above = await templates.save(tx, (await web.person("hq", Role.ADMIN)).actor(), NewTemplate("공지", "x"))
        template = await templates.save(tx, admin, NewTemplate("휴무", "x"))
        letter = await _add_letter(tx, admin)
        group = await groups.save(tx, admin, NewGroup("점장방"))
        bulk = await _add_bulk(tx, admin, shop)
    own = {"unit": str(unit.id), "found": str(found), "shop": str(shop), "csv": ids.show("file", file)}
    numbers = {"run": run.id, "mismatch": mismatch, "backup": backup, "above": above.id, "template": template.id}
    numbers |= {"group": group.id, "bulk": bulk}
    return {
        **names,
        **units,
        **made,
        **own,
        "server": ids.show("wrk", server),
        "letter": str(letter),
        "dle": ids.show("dle", letter),
        **{name: str(number) for name, number in numbers.items()},
    }


async def _add_bulk(tx: Tx, admin: Actor, room_id: int) -> int:
    """One that was missed in every room."""
    when = When(ScheduleType.DAILY, time(9), tx.now - timedelta(days=1), tx.now + timedelta(days=30))
    audience = Audience((Target(room_id),))
    new = NewSchedule("전 지점 공지", 0, 0, Content("점검합니다"), when, audience=audience)
    made = await schedules.create(tx, admin, new)
    await bulks.miss(tx, Occurrence(made.id, tx.now), "misfired", {})
    [bulk] = (await list_bulks(tx, await tenants.visible_to(tx, admin))).items
    return bulk.id


async def _add_letter(tx: Tx, admin: Actor) -> int:
    """Of Haeundae, for a consumer that is paused."""
    await events.begin(tx, events.Consumer(GROUP, ("tea.*",), _take_nothing))
    await events.pause(tx, ENGINE, GROUP)
    event = await events.publish(tx, admin, events.NewEvent("tea.ordered"))
    await bury(tx, GROUP, event, "ValueError: no cup", tries=3)
    return (await events.list_dead(tx, await tenants.visible_to(tx, admin))).items[0].id


async def _take_nothing(_tx: Tx, _events: object) -> None:
    """Nobody runs it."""


async def _upload_csv(web: Web, admin: Actor, unit_id: int) -> int:
    async def chunks() -> AsyncIterator[bytes]:
        yield CSV

    services = web.app.services
    given = storage.Upload(chunks(), "old.csv", unit_id, area="adgroups")
    return (await storage.accept_file(services.database, services.files, admin, given, max_bytes=10**6)).id


async def _add_ads(tx: Tx, admin: Actor) -> dict[str, str]:
    span = Schedule(tx.now + timedelta(days=1), tx.now + timedelta(days=8), "Asia/Seoul", None)
    campaign = await campaigns.create_campaign(tx, admin, NewCampaign("Winter", span.start_at, None))
    group = (await adgroups.create(tx, admin, NewAdGroup("Boots", campaign.id, span))).id
    creative = await adgroups.add_creative(tx, admin, group, name="Banner", url="https://cdn.example.com/a.png")
    inventory = await campaigns.add_inventory(tx, admin, code="winter-1", name="Top")
    await flags.set_flag(tx, admin, FlagKind.ID, group)
    return {
        "draft": str(group),
        "draft_adg": ids.show("adg", group),
        "campaign": str(campaign.id),
        "cmp": ids.show("cmp", campaign.id),
        "creative": str(creative),
        "inventory": str(inventory.id),
        "code": inventory.code,
    }


async def _add_composition(tx: Tx, admin: Actor) -> dict[str, str]:
    """Of Haeundae, beside the one of the head office that everybody may use."""
    own = Composition("haeundae", GFX["composition_name"], "haeundae.aep")
    await put_composition(tx, admin, own, [FieldMapping(own.id, "Single - pot", "Pot")])
    mappings = f"composition_id,field_name,layer_name\n{own.id},Single - pot,Pot 2\n"
    return {"composition": own.id, "above_composition": COMPOSITION, "gfx": json.dumps(GFX), "mappings": mappings}


async def _add_people(tx: Tx, web: Web, admin: Actor) -> dict[str, str]:
    unit = web.unit("haeundae")
    user = await auth.add_user(tx, ENGINE, NewUser("somebody", "somebody", unit.id, Role.VIEWER))
    new = NewToken("report", unit.id, Role.VIEWER, ("jobs:read",), tx.now + timedelta(days=9))
    token = (await auth.make_token(tx, ENGINE, new)).token
    form = ChannelForm(name="당직", chat_id="4242", token=TOKEN)
    channel = await notifications.add_channel(tx, admin, web.app.services.vault, form, unit_id=unit.id)
    hook = await notifications.add_channel(
        tx,
        admin,
        web.app.services.vault,
        ChannelForm("프로그램", kind="webhook", address="https://hooks.example.com/a"),
        unit_id=unit.id,
    )
    said = await attempts.insert_missed(tx, hook.id, Message("{}", notification_id=1), "it was stopped")
    channels = {"channel": str(channel.id), "hook": str(hook.id), "said": str(said), "delivery": ids.show("dlv", said)}
    return {"user": str(user.id), "token": str(token.id), **channels}


def _fill(body: Any, names: dict[str, str]) -> Any:
    """Every name in braces is the thing it stands for."""
    if isinstance(body, str):
        return body.format(**names)
    if isinstance(body, dict):
        return {name: _fill(value, names) for name, value in body.items()}
    return [_fill(value, names) for value in body] if isinstance(body, list) else body


def _give(door: Door, names: dict[str, str]) -> dict[str, Any]:
    body = _fill(door.body, names)
    if door.upload:
        content = CSV if door.upload == "csv" else _draw()
        return {"data": body or {}, "files": {door.upload: ("a.png", content)}}
    if door.is_page:
        return {"data": body or {}}
    return {} if body is None else {"json": body}


def _draw() -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (8, 6), (1, 80, 160)).save(target, "PNG")
    return target.getvalue()


async def ask(asker: Asker, door: Door, names: dict[str, str]) -> str:
    accept = "text/html" if door.is_page else "application/json"
    headers = {"Idempotency-Key": uuid4().hex, "Accept": accept}
    path, given = door.path.format(**names), _give(door, names)
    answer = await patiently(lambda: asker.client.request(door.method, path, headers=headers, **given))
    # 500: its commit was refused
    told = {403: FORBIDDEN, 404: MISSING, 409: "allowed", 500: "allowed"}
    if answer.status_code == 422:
        return AT_FIELD
    # a page that only shows itself again has done nothing
    is_form = door.is_page and not door.shows
    is_done = answer.status_code in (201, 303) if is_form else answer.status_code < 400
    return told.get(answer.status_code, "allowed" if is_done else f"{answer.status_code} {answer.text}")


async def list_all_people(web: Web) -> list[Asker]:
    """Also the head office, and whoever has neither the right nor the thing in sight."""
    more = [("hq", Role.ADMIN, True), ("nampo", Role.VIEWER, False)]
    return [
        *await list_people(web),
        *[
            Asker(
                f"{role} of {unit}",
                await web.as_(unit, role, by="session"),
                (await web.person(unit, role)).actor(),
                sees,
            )
            for unit, role, sees in more
        ],
    ]


@dataclass(frozen=True)
class Furnished:
    """A house of Haeundae by the names of its things, and who asks there: programs by the area they are for."""

    names: dict[str, str]
    people: list[Asker]
    programs: dict[str, list[Asker]]


async def furnish_once(web: Web) -> Furnished:
    """For all walks: from here on a commit that would change something fails."""
    names, people = await furnish_nouns(web), await list_all_people(web)
    programs = {area: await list_programs(web, area) for area in {verb.area for verb in NOUNS.values()}}
    async with web.db.transaction() as tx:
        await tx.script(Path(test_doors.__file__).with_suffix(".sql").read_text())
    return Furnished(names, people, programs)


async def walk(web: Web, there: Furnished, verbs: dict[str, Verb]) -> list[str]:
    """Every answer that differs from the one expected."""
    hq = web.unit("hq").id
    asked = [
        (name, verb, asker, door, verb.expects(asker, is_house=asker.actor.unit_id == hq))
        for name, verb in verbs.items()
        for asker in (*there.people, *there.programs[verb.area])
        for door in verb.doors
        # pages are for people
        if asker in there.people or not door.is_page
    ]
    few = asyncio.Semaphore(4)

    async def one(asker: Asker, door: Door) -> str:
        async with few:
            return await ask(asker, door, there.names)

    answers = await asyncio.gather(*(one(asker, door) for _, _, asker, door, _ in asked))
    assert Counter(expected for *_, expected in asked).keys() == {"allowed", FORBIDDEN, MISSING}
    return [
        f"{name} by {asker.name} at {door.method} {door.path}: {answer[:200]}, not {expected}"
        for (name, verb, asker, door, expected), answer in zip(asked, answers, strict=True)
        if answer not in verb.accepts(expected)
    ]


async def test_every_verb_has_one_answer_in_rest_and_on_its_page(web: Web) -> None:
    """Every area in one house: to furnish it takes as long as to walk a small one."""
    there = await furnish_once(web)

    wrong = [each for verbs in BY_AREA for each in await walk(web, there, verbs)]

    assert "\n".join(wrong) == ""
    assert sum(len(verbs) for verbs in BY_AREA) == len(NOUNS)


def _list_doors(web: Web) -> Iterator[tuple[str, str]]:
    for found in iter_route_contexts(web.site.routes):
        route = found.original_route
        if isinstance(route, APIRoute):
            path = found.path if hasattr(found, "path") else route.path
            yield from ((method, path) for method in route.methods - {"GET", "HEAD"})


def _shape(path: str) -> tuple[str, ...]:
    """What stands in the place of a name does not matter."""
    return tuple("*" if "{" in part or part in NAMED else part for part in path.partition("?")[0].split("/"))


async def test_no_door_is_forgotten(web: Web) -> None:
    """Whoever adds a form or an operation walks it with every role, or says here why it has no second door."""
    described = (one for verb in NOUNS.values() for one in verb.doors)
    walked = {(door.method, _shape(door.path)) for door in (*_doors_of(EVENTS), *_doors_of(VERBS), *described)}
    alone = {*ALONE, *SINGLE, test_doors_for_many.ADGROUPS, "/ads/groups/bulk/send", *test_doors_for_many.PAGES}

    # each row of many is asked as one is: test_doors_for_many.py
    doors = [
        (method, path)
        for method, path in _list_doors(web)
        if not path.startswith((*OWN, *WIRE)) and "/many/" not in path
    ]
    forgotten = [
        f"{method} {path}" for method, path in doors if path not in alone and (method, _shape(path)) not in walked
    ]

    assert forgotten == []
    assert {*SINGLE} <= {path for _, path in doors}


def _doors_of(verbs: dict[str, test_doors.Verb]) -> Iterator[test_doors.Door]:
    for verb in verbs.values():
        yield from verb.doors
