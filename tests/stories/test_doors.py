"""A verb with more than one door gives one answer at each: events of machines, and whatever else has a general door.

People of every role, inside and outside the unit, and tokens try the REST API and the pages, the general and the app's.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import time, timedelta
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest
import structlog
from fastapi.routing import APIRoute, iter_route_contexts

from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.model.adgroups import Event, Schedule
from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.apps.messaging.actions import schedules
from pabal.apps.messaging.store.schedules import get_schedule
from pabal.apps.rules.actions.rules import run_now
from pabal.apps.rules.heartbeats.actions import create_heartbeat
from pabal.apps.rules.plans.actions import request_plan
from pabal.apps.rules.recall.actions import teach_case
from pabal.base.database import Database, Tx
from pabal.base.settings import Settings
from pabal.engine import ids, queue, transitions, why
from pabal.engine.queue import NewJob
from pabal.engine.workflows.step_kinds import AwaitSignal, StepCall
from pabal.platform import alerts
from pabal.platform.actor import ENGINE, Actor, Right, Role
from pabal.platform.alerts.store import NewAlert, insert_alerts
from pabal.platform.controls import ByHand
from pabal.platform.tenants import visible_to
from tests.apps.adgroups.making import add_approved, add_complete
from tests.apps.messaging.history import add_deliveries, add_parts, ended
from tests.platform.approvals.asked import all_of
from tests.support.messaging import World, add_bot, add_room, add_schedule, upload
from tests.support.relay import add_account, make_relay
from tests.support.rules import make_rules
from tests.support.studio import make_studio, slot_id
from tests.support.web import SECRET, Web

R, W, M = Right.READ, Right.WRITE, Right.MANAGE
SPARK = {"complete_setup": W, "pause": W, "resume": W, "delete": W}
CLOCK = {"start": W, "expire": W, "daily_start": W, "daily_end": W}
# machine, area, and the right each event takes; an event that is not here is not sent by hand
TAKES: dict[str, tuple[str, dict[str, Right]]] = {
    "adgroup": ("adgroups", {**SPARK, **CLOCK, "approve": M, "reject": M}),
    "alert": ("alerts", {"acknowledge": W, "unsilence": W}),
    # decided through the inbox, which asks for the app's right: tests/platform/approvals/test_faces.py
    "approval": ("approvals", {}),
    "message_schedule": ("messaging", {"activate": W, "deactivate": W, "delete": W}),
    "delivery": ("messaging", {"resume": W}),
    "bot_device": ("messaging", dict.fromkeys(("approve", "deny", "revoke", "block", "unblock"), M)),
    "relay_conversation": ("relay", dict.fromkeys(("approve", "reject", "unpair", "block", "unblock"), W)),
    "relay_message": ("relay", {}),
    "render": ("rendering", {"cancel": W, "retry": W, "release": W}),
    "rule": ("rules", {"pause": W, "resume": W, "delete": W}),
    "rule_run": ("rules", {}),
    "heartbeat": ("rules", {"pause": W, "resume": W}),
    # decided in the inbox
    "plan": ("rules", {"withdraw": W, "redo": W}),
    # verbs of a run say more than an event's name, and a question is decided in the inbox
    "workflow_run": ("workflows", {}),
    "workflow_question": ("workflows", {}),
    "kettle": ("machines", {"switch_on": W}),
}
PLAN = "name: hello\nsteps:\n  - {name: tell, kind: platform.notify, input: {title: 안녕하세요}}\n"
FLOW = "name: hello\nsteps:\n  - {name: wait, wait: {event: go}}\n"
LATER = "2080-01-01T00:00:00Z"
OFFICE = DayParts.every_day(time(9), time(18))


@dataclass(frozen=True)
class Door:
    """`body` is JSON for programs and a form for pages; names in braces are ids of the things below."""

    path: str
    body: dict[str, str] = field(default_factory=dict)
    method: str = "POST"

    @property
    def has_body(self) -> bool:
        return self.method in ("POST", "PUT", "PATCH")

    @property
    def is_page(self) -> bool:
        return not self.path.startswith("/api/")


@dataclass(frozen=True)
class Verb:
    area: str
    right: Right
    doors: tuple[Door, ...]


def _app_doors(machine: str, event: str) -> tuple[Door, ...]:
    match machine:
        case "adgroup":
            gone = (Door("/api/v1/adgroups/{adg}", method="DELETE"),) if event == "delete" else ()
            return (
                Door("/api/v1/adgroups/{adg}/events", {"event": event.upper()}),
                Door("/ads/groups/{adgroup}/send", {"event": event}),
                *gone,
            )
        case "alert":
            return Door(f"/api/v1/alerts/{{alr}}/{event}"), Door(f"/alerts/{{alert}}/{event}")
        case "message_schedule":
            rest = {"activate": "/resume", "deactivate": "/pause", "delete": ""}[event]
            method = "DELETE" if event == "delete" else "POST"
            old = (Door("/api/schedules/{message_schedule}", method="DELETE"),) if event == "delete" else ()
            return (
                *old,
                Door(f"/api/v1/messages/schedules/{{message_schedule}}{rest}", method=method),
                Door(f"/messages/schedules/{{message_schedule}}/{event}"),
            )
        case "delivery":
            return (
                Door("/api/v1/messages/deliveries/{dlv}/resume"),
                Door("/messages/deliveries/{delivery}/resume"),
            )
        case "bot_device":
            return (
                Door(f"/api/v1/messages/devices/{{bot_device}}/{event}"),
                Door(f"/messages/devices/{{bot_device}}/{event}"),
            )
        case "relay_conversation":
            return (
                Door(f"/api/v1/relay/conversations/{{relay_conversation}}/{event}"),
                Door(f"/relay/conversations/{{relay_conversation}}/{event}"),
            )
        case "heartbeat":
            path = f"rules/heartbeats/{{heartbeat}}/{event}"
            return Door(f"/api/v1/{path}"), Door(f"/{path}")
        case "rule":
            rest = "" if event == "delete" else f"/{event}"
            method = "DELETE" if event == "delete" else "POST"
            return Door(f"/api/v1/rules/{{rule_uid}}{rest}", method=method), Door(f"/rules/{{rule_uid}}/{event}")
        case "render":
            return Door(f"/api/v1/render/jobs/{{render}}/{event}"), Door(f"/render/jobs/{{render}}/{event}")
    return ()


def _general_doors(machine: str, event: str) -> tuple[Door, ...]:
    return (
        Door(f"/api/v1/machines/{machine}/subjects/{{{machine}}}/events", {"event": event}),
        Door(f"/api/v1/machines/{machine}/subjects/{{{machine}}}/events?dry_run=true", {"event": event}),
        Door(f"/machines/{machine}/{{{machine}}}/send", {"event": event}),
    )


def _list_events() -> dict[str, Verb]:
    """A dry run and the general page are the same code for all events of a machine that take one right: the first of
    them goes there."""
    found, tried = {}, set()
    for machine, (area, rights) in TAKES.items():
        for event, right in rights.items():
            general = _general_doors(machine, event)
            doors = general[:1] if (machine, right) in tried else general
            found[f"{machine} {event}"] = Verb(area, right, (*doors, *_app_doors(machine, event)))
            tried.add((machine, right))
    return found


EVENTS = _list_events()
SCH, MSG = "/api/v1/schedules/{sch}", "/api/v1/messages/schedules/{message_schedule}"
BOT, ROOM = "/api/v1/messages/bots/{bot}", "/api/v1/messages/rooms/{room}"
URGENT = {"priority": "urgent"}
PAGE, APP = "/schedules/{sch}", "/messages/schedules/{message_schedule}"
# other verbs that have more than one door
VERBS = {
    "timetable pause": Verb(
        "messaging", W, (Door(f"{SCH}/pause"), Door(f"{PAGE}/pause"), Door(f"{MSG}/pause"), Door(f"{APP}/deactivate"))
    ),
    "timetable resume": Verb(
        "messaging", W, (Door(f"{SCH}/resume"), Door(f"{PAGE}/resume"), Door(f"{MSG}/resume"), Door(f"{APP}/activate"))
    ),
    "timetable skip": Verb(
        "messaging", W, (Door(f"{SCH}/skip"), Door(f"{PAGE}/skip"), Door(f"{MSG}/skip"), Door(f"{APP}/skip"))
    ),
    "timetable keep": Verb(
        "messaging",
        W,
        (
            Door(f"{SCH}/keep", {"fire_at": "{skipped}"}),
            Door(f"{PAGE}/keep", {"fire_at": "{skipped}"}),
            Door(f"{MSG}/keep", {"at": "{skipped}"}),
            Door(f"{APP}/keep", {"at": "{skipped}"}),
        ),
    ),
    "timetable trigger": Verb(
        "messaging", W, (Door(f"{SCH}/send-now"), Door(f"{PAGE}/trigger"), Door(f"{MSG}/send-now"), Door(f"{APP}/send"))
    ),
    "schedule toggle": Verb("messaging", W, (Door(f"{MSG}/toggle"), Door("/api/schedules/{message_schedule}/toggle"))),
    "bot exclude": Verb(
        "messaging", M, (Door(f"{BOT}/exclude", {"reason": "x"}), Door("/messages/bots/{bot}/exclude", {"reason": "x"}))
    ),
    "bot include": Verb("messaging", M, (Door(f"{BOT}/include"), Door("/messages/bots/{bot}/include"))),
    "bot secret": Verb(
        "messaging",
        M,
        (
            Door(f"{BOT}/secret", {"secret": "of the phone's"}, method="PUT"),
            Door(f"{BOT}/secret", method="DELETE"),
            Door("/messages/bots/{bot}/secret", {"secret": "of the phone's"}),
        ),
    ),
    "room edit": Verb(
        "messaging",
        W,
        (
            Door(ROOM, {"note": "x"}, method="PATCH"),
            Door("/messages/rooms/{room}", {"name": "시험방", "room_type": "test", "note": "x"}),
        ),
    ),
    "room release": Verb("messaging", M, (Door(f"{ROOM}/release"), Door("/messages/rooms/{room}/release"))),
    "room remove bot": Verb(
        "messaging",
        M,
        (Door(f"{ROOM}/bots/{{bot}}", method="DELETE"), Door("/messages/rooms/{room}/bots/{bot}/remove")),
    ),
    "job cancel": Verb("messaging", W, (Door("/api/v1/jobs/{job}/cancel"), Door("/jobs/{job}/cancel"))),
    "job retry": Verb("messaging", W, (Door("/api/v1/jobs/{job}/retry"), Door("/jobs/{job}/retry"))),
    "job priority": Verb(
        "messaging", W, (Door("/api/v1/jobs/{job}/priority", URGENT), Door("/jobs/{job}/priority", URGENT))
    ),
    # a render has verbs of its own, which keep it and its job together
    **{
        f"job of a render {verb}": Verb(
            "rendering",
            M,
            (Door(f"/api/v1/jobs/{{render_job}}/{verb}", body), Door(f"/jobs/{{render_job}}/{verb}", body)),
        )
        for verb, body in {"cancel": {}, "retry": {}, "priority": URGENT}.items()
    },
    "delivery dismiss": Verb(
        "messaging",
        W,
        (Door("/api/v1/messages/deliveries/{dlv}/dismiss"), Door("/messages/deliveries/{delivery}/dismiss")),
    ),
    "alert silence": Verb(
        "alerts",
        W,
        (Door("/api/v1/alerts/{alr}/silence", {"until": "{soon}"}), Door("/alerts/{alert}/silence", {"length": "1h"})),
    ),
    **{
        f"delayed {verb}": Verb(
            "adgroups",
            W,
            (
                Door(f"/api/v1/adgroups/delayed-events/{{waiting}}/EXPIRE/{verb}", body),
                Door(f"/ads/delayed/{{approved}}/expire/{verb}", {"to": "2080-01-01T00:00"}),
            ),
        )
        for verb, body in {"fire": {}, "cancel": {}, "move": {"to": LATER}}.items()
    },
}
# doors of these prefixes that are walked above, with those of one door only and why
SHARED = ("/machines", "/schedules", "/jobs", "/facts", "/alerts", "/bulk", "/alert-rules", "/occurrences")
ALONE = {
    "/api/v1/bulk": "many at once, each by the same verb: test_doors_for_many.py",
    "/jobs/bulk": "the same for pages",
    **dict.fromkeys(
        ("/bulks", "/bulks/choose", "/bulks/{bulk_id}/undo", "/api/v1/bulks/{id}/undo"),
        "one's own; each row is asked as the single verb asks: tests/apps/messaging/pages/test_many.py",
    ),
    "/facts/{seq}/retry": "one door",
    "/api/v1/alert-rules/{name}/silence": "the house's own: tests/api/test_isolation.py",
    "/api/v1/alert-rules/{name}/unsilence": "the house's own",
    "/alerts/rules/silence": "the house's own",
    "/alerts/rules/unsilence": "the house's own",
}


@pytest.fixture(autouse=True)
def unlogged() -> Iterator[None]:
    """What would have been allowed fails at its commit, unforeseen: drawing those failures would take longest."""
    with structlog.testing.capture_logs():
        yield


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    apps = "pabal.apps.messaging,pabal.apps.adgroups,pabal.apps.relay,pabal.apps.rendering,pabal.apps.rules"
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps=apps, secret_key=SECRET)


@dataclass(frozen=True)
class Asker:
    """`sees`: Haeundae, where the things are. People have everything their role gives."""

    name: str
    client: httpx2.AsyncClient
    actor: Actor
    sees: bool

    def expects(self, verb: Verb) -> str:
        if not self.actor.may(verb.right, verb.area):
            return "forbidden"
        return "allowed" if self.sees else "not found"


PEOPLE = (
    *(("haeundae", role) for role in Role),
    ("hq", Role.OPERATOR),
    ("nampo", Role.ADMIN),
)


async def list_people(web: Web) -> list[Asker]:
    return [
        Asker(
            f"{role} of {unit}",
            await web.as_(unit, role, by="session"),
            (await web.person(unit, role)).actor(),
            unit in ("haeundae", "hq"),
        )
        for unit, role in PEOPLE
    ]


async def list_programs(web: Web, area: str) -> list[Asker]:
    found = []
    # what a general door shows is asked apart from what it does
    general = ("machines:write", "schedules:write", "jobs:write", "facts:write")
    looks = ("schedules:read", "jobs:read")
    for name, scopes in (
        ("token of the general areas", general),
        (f"token of {area}:write", (f"{area}:write", *looks)),
        (f"token of {area}:manage", (f"{area}:manage", *looks)),
    ):
        client = await web.as_("haeundae", Role.ADMIN, scopes=scopes)
        found.append(Asker(name, client, Actor("token:0", 0, Role.ADMIN, scopes), sees=True))
    return found


async def furnish(web: Web) -> dict[str, str]:
    """One of everything in Haeundae, by the names that the doors have for it."""
    unit, db, actor = web.unit("haeundae"), web.db, (await web.person("haeundae", Role.ADMIN)).actor()
    bot_id, device_id = await add_bot(db, unit, "busan1")
    room_id = await add_room(db, unit, "18200001", "손님방", bots=[bot_id])
    test_id = await add_room(db, unit, "18200002", "시험방", bots=[bot_id], room_type="test")
    files = web.app.services.files
    world = World(
        db, files, web.tree, bot_id, "busan1", device_id, room_id, "18200001", test_id, await upload(db, files, unit)
    )
    message = await add_schedule(world)
    async with db.transaction() as tx:
        span = Schedule(tx.now + timedelta(days=1), tx.now + timedelta(days=8), "Asia/Seoul", OFFICE)
        group = await add_complete(tx, actor, span)
        await events.send(tx, actor, group, Event.COMPLETE_SETUP)
        approved = await add_approved(tx, actor, span)
        [alert] = await insert_alerts(
            tx, [NewAlert("engine.stuck_work", "x", unit.id, "failure", 4.0, 3.0, tx.now, tx.now)]
        )
        await transitions.begin(tx, alerts.ALERT, [alert], actor="engine")
        job = await queue.enqueue(tx, NewJob("messaging.send", {"delivery_id": 0}, unit_id=unit.id))
        timetable = await _timetable_of(tx, message)
        skipped = await schedules.skip(tx, actor, message)
        soon = tx.now + timedelta(hours=1)
        await tx.script(f"insert into pabal.demo_kettle (id, unit_id) values (1, {unit.id})")
        at = tx.now - timedelta(hours=1)
    [delivery] = await add_deliveries(db, message, [ended("failed", at)])
    await add_parts(db, delivery, "planned")
    relay = await make_relay(db, web.tree)
    await relay.say()
    [said] = await relay.messages()
    careful = await add_account(db, unit.id, "까다로운 비서", asks_owner=True)
    # a worker holds it, and nexrender has not got it: it can be released, and then cancelled and tried again
    studio = await make_studio(db, web.tree, web.app.services.settings.data_dir)
    render = await studio.claim(await studio.ask())
    rules = await make_rules(db, web.tree)
    rule = await rules.rule()
    async with db.transaction() as tx:
        run = await run_now(tx, actor, rule.id)
        heartbeat = await create_heartbeat(tx, actor, name="야간 백업", cron="0 3 * * *")
        case = await teach_case(tx, actor, request="부산 날씨를 알려줘", answer="=== weather.py")
        flow, flow_run, question = await _add_flow(tx, web, actor)
        plan = await request_plan(tx, actor, request="인사해 줘", yaml=PLAN, workflows=web.app.site.workflows)
    return {
        "workflow": str(flow),
        "workflow_run": str(flow_run),
        "workflow_question": str(question),
        "case": str(case.id),
        "plan": str(plan.id),
        "heartbeat": str(heartbeat.id),
        "rule": str(rule.number),
        "rule_uid": str(rule.id),
        "rule_run": str(run.number),
        "run_uid": str(run.id),
        "render": str(render.id),
        "render_job": ids.show("job", render.job_id or 0),
        "slot": str(slot_id(1)),
        "relay_account": str(relay.account.account.id),
        # two that wait for their owner's word, and one that is paired
        "relay_conversation": str(await relay.pair("lee", careful)),
        "relay_pending": str(await relay.pair("park", careful)),
        "relay_paired": str(said.conversation_id),
        "relay_message": str(said.id),
        "relay_said": str(said.uid),
        "pairing_code": await relay.make_code(),
        "adgroup": str(group),
        "approval": str(next(one.id for one in await all_of(db) if one.subject == group)),
        "adg": ids.show("adg", group),
        "approved": str(approved),
        "waiting": ids.show("adg", approved),
        "alert": str(alert),
        "alr": ids.show("alr", alert),
        "message_schedule": str(message),
        "sch": timetable,
        "delivery": str(delivery),
        "dlv": ids.show("dlv", delivery),
        "bot": str(bot_id),
        "bot_device": str(device_id),
        "room": str(test_id),
        "kettle": "1",
        "job": str(job),
        "skipped": skipped.isoformat(),
        "soon": soon.isoformat(),
    }


async def _add_flow(tx: Tx, web: Web, actor: Actor) -> tuple[int, int, int]:
    """A workflow, a run of it that waits, and a question that one of its steps has asked."""
    flows = web.app.site.workflows
    flow = await flows.save(tx, actor, FLOW)
    run = await flows.start(tx, actor, flow.id, {})
    asks = flows.kinds.find("platform.approval@1")
    assert asks is not None
    call = StepCall(run, "ask", None, 1, {"title": "보낼까요?"}, actor.name, flow.unit_id, "ask")
    waits = await asks.act(tx, call)
    assert isinstance(waits, AwaitSignal)
    return flow.id, run, int(waits.signal.partition(":")[2])


async def _timetable_of(tx: Tx, message: int) -> str:
    found = await get_schedule(tx, await visible_to(tx, ENGINE), message)
    assert found.timetable_id is not None
    return why.show_schedule(found.timetable_id)


async def ask(asker: Asker, door: Door, names: dict[str, str]) -> str:
    answer = await send(asker, door, names)
    # 500: its commit was refused; whatever else is neither said no to nor done is told as it is
    told = {403: "forbidden", 404: "not found", 409: "allowed", 500: "allowed"}
    return told.get(answer.status_code, "allowed" if answer.status_code < 400 else answer.text)


async def send(asker: Asker, door: Door, names: dict[str, str]) -> httpx2.Response:
    path = door.path.format(**names)
    body = {name: value.format(**names) for name, value in door.body.items()}
    given = {"data": body} if door.is_page else {"json": body}
    accept = "text/html" if door.is_page else "application/json"
    headers = {"Idempotency-Key": uuid4().hex, "Accept": accept}
    given = given if door.has_body else {}
    return await patiently(lambda: asker.client.request(door.method, path, headers=headers, **given))


async def patiently(request: Callable[[], Awaitable[httpx2.Response]]) -> httpx2.Response:
    """A machine that is busy says so, to whoever asks: that is no answer about a right."""
    async with asyncio.timeout(30):
        while (answer := await request()).status_code in (429, 503):
            await asyncio.sleep(0.1)
    return answer


async def walk(web: Web, verbs: dict[str, Verb]) -> list[str]:
    """Every answer that differs from the one expected. A commit that would change something fails."""
    names = await furnish(web)
    people = await list_people(web)
    programs = {area: await list_programs(web, area) for area in {verb.area for verb in verbs.values()}}
    async with web.db.transaction() as tx:
        await tx.script(Path(__file__).with_suffix(".sql").read_text())
    asked = [
        (name, asker, door, asker.expects(verb))
        for name, verb in verbs.items()
        for asker in (*people, *programs[verb.area])
        for door in verb.doors
        # pages are for people
        if asker in people or not door.is_page
    ]
    few = asyncio.Semaphore(4)

    async def one(asker: Asker, door: Door) -> str:
        async with few:
            return await ask(asker, door, names)

    answers = await asyncio.gather(*(one(asker, door) for _, asker, door, _ in asked))
    assert Counter(expected for *_, expected in asked).keys() == {"allowed", "forbidden", "not found"}
    return [
        f"{name} by {asker.name} at {door.method} {door.path}: {answer[:200]}, not {expected}"
        for (name, asker, door, expected), answer in zip(asked, answers, strict=True)
        if answer != expected
    ]


async def test_every_event_of_every_machine_has_one_answer_at_every_door(web: Web) -> None:
    declared = {one.machine.name: one for one in web.app.site.controls}

    assert {name: one.area for name, one in declared.items()} == {name: area for name, (area, _) in TAKES.items()}
    assert {
        name: {str(event): control.right for event, control in one.events.items() if isinstance(control, ByHand)}
        for name, one in declared.items()
    } == {name: rights for name, (_, rights) in TAKES.items()}
    assert "\n".join(await walk(web, EVENTS)) == ""


async def test_every_other_verb_with_more_than_one_door_has_one_answer(web: Web) -> None:
    assert "\n".join(await walk(web, VERBS)) == ""


def _list_doors(web: Web) -> Iterator[str]:
    for found in iter_route_contexts(web.site.routes):
        route = found.original_route
        if isinstance(route, APIRoute) and route.methods - {"GET", "HEAD"}:
            path = found.path if hasattr(found, "path") else route.path
            if path.removeprefix("/api/v1").startswith(SHARED):
                yield path


async def test_no_general_door_is_forgotten(web: Web) -> None:
    """A door without a walk gets one above, or a reason why it has no second one."""
    walked = [door.path for verb in (*EVENTS.values(), *VERBS.values()) for door in verb.doors]
    shapes = {tuple(part if "{" not in part else "*" for part in path.split("?")[0].split("/")) for path in walked}
    machines = {tuple("*" if part in TAKES else part for part in shape) for shape in shapes}

    forgotten = [
        path
        for path in _list_doors(web)
        if path not in ALONE
        and tuple("*" if "{" in part else part for part in path.split("/")) not in shapes | machines
    ]

    assert forgotten == []


async def test_what_only_timers_and_handlers_send_is_refused_by_hand(web: Web) -> None:
    """Whoever sees the thing hears so, whatever they may do; to everybody else it is not there. Of each machine the
    first event is tried by everybody, the others by one who sees it and one who does not."""
    names, people = await furnish(web), await list_people(web)
    few = [next(one for one in people if one.sees is sees and one.actor.role is Role.ADMIN) for sees in (True, False)]
    events = [
        (one, number, str(event))
        for one in web.app.site.controls
        for number, event in enumerate(e for e, control in one.events.items() if not isinstance(control, ByHand))
    ]
    tried = [
        (one.machine.name, event, asker, asker.sees and asker.actor.may(one.sees, one.area))
        for one, number, event in events
        for asker in (few if number else people)
    ]

    wrong = [
        f"{machine} {event} by {asker.name}: {answers}"
        for machine, event, asker, sees in tried
        if (answers := await _refusals(asker, machine, event, names)) != {(409, True) if sees else (404, False)}
    ]

    assert len(events) == 57
    assert "\n".join(wrong) == ""


async def _refusals(asker: Asker, machine: str, event: str, names: dict[str, str]) -> set[tuple[int, bool]]:
    """The answers of both faces and of a dry run, and whether they say why."""
    answers = [await send(asker, door, names) for door in _general_doors(machine, event)]
    return {(answer.status_code, "event_not_by_hand" in answer.text) for answer in answers}
