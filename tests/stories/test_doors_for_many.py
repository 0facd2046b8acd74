"""A verb on many at once asks of each what it asks of one, of every role; a command and the broker do the same."""

from dataclasses import dataclass
from datetime import timedelta
from itertools import zip_longest
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest

from pabal.apps.adgroups.incoming import EVENTS as INCOMING
from pabal.engine import queue
from pabal.engine.queue import NewJob
from pabal.platform import audit
from pabal.platform.actor import Right, Role
from tests.cli.inside import Inside
from tests.stories import test_doors
from tests.stories.test_doors import (
    TAKES,
    Asker,
    Door,
    Verb,
    furnish,
    list_people,
    list_programs,
    patiently,
    unlogged,
    web_settings,
)
from tests.support.database import set_clock
from tests.support.web import SECRET, Web

__all__ = ["unlogged", "web_settings"]

BULK, ADGROUPS, RELAY = "/api/v1/bulk", "/api/v1/adgroups/events/bulk", "/relay/conversations/bulk/send"
RENDER = "/render/bulk/send"
PAGES = (RELAY, RENDER)
SERVING = "adgroups.refresh_serving"
W, M = Right.WRITE, Right.MANAGE
NOTHING = "nothing done"


@dataclass(frozen=True)
class Many:
    """`about`: the name of the one thing it is asked for. A page says only how many were done."""

    path: str
    body: dict[str, str]
    about: str
    area: str
    right: Right
    # a page that answers for each alone refuses nobody as a whole
    is_each: bool = False

    @property
    def is_page(self) -> bool:
        return not self.path.startswith("/api/")

    def accepts(self, expected: str) -> tuple[str, ...]:
        """What somebody may be told who is to be allowed, forbidden, or to see nothing."""
        if not self.is_page:
            return (expected,)
        refused = ("forbidden", NOTHING) if self.is_each else ("forbidden",)
        # an event that leads nowhere from here, or a job that did not fail, is nothing done too
        return {"allowed": ("allowed", NOTHING), "forbidden": refused, "not found": (NOTHING,)}[expected]


def _list_many() -> list[Many]:
    engine = [
        Many(path, {"resource": resource, "action": action}, about, area, right)
        for resource, action, about, area, right in (
            ("jobs", "cancel", "job", "messaging", W),
            ("jobs", "retry", "job", "messaging", W),
            ("jobs", "cancel", "serving", "adgroups", M),
            ("jobs", "cancel", "render_job", "rendering", M),
            ("schedules", "pause", "sch", "messaging", W),
            ("schedules", "resume", "sch", "messaging", W),
        )
        for path in (BULK, f"{BULK}?dry_run=true")
    ]
    pages = [
        Many("/jobs/bulk", {"action": action}, about, area, right, is_each=True)
        for action, about, area, right in (
            ("cancel", "job", "messaging", W),
            ("retry", "job", "messaging", W),
            ("cancel", "serving", "adgroups", M),
            ("cancel", "render_job", "rendering", M),
        )
    ]
    area, rights = TAKES["adgroup"]
    events = [
        Many(path, {"event": event if path.startswith("/ads") else event.upper()}, about, area, right)
        for event, right in rights.items()
        for path, about in (
            (ADGROUPS, "adg"),
            (f"{ADGROUPS}?dry_run=true", "adg"),
            ("/ads/groups/bulk/send", "adgroup"),
        )
    ]
    talks = [Many(RELAY, {"event": event}, "relay_conversation", "relay", W) for event in ("unpair", "block")]
    renders = [Many(RENDER, {"event": event}, "render", "rendering", W) for event in ("retry", "urgent", "cancel")]
    return [*engine, *pages, *events, *talks, *renders, *_list_described()]


def _list_described() -> list[Many]:
    """Of every described list. Only looked at: that somebody asked would be kept, whatever comes of it."""
    lists = (
        ("/api/v1/messages/many/schedules", "message_schedule", "messaging", {"pause": W, "skip": W, "delete": W}),
        ("/api/v1/messages/many/devices", "bot_device", "messaging", {"approve": M, "revoke": M, "block": M}),
        ("/api/v1/adgroups/many/adgroups", "adg", "adgroups", {"approve": M, "reject": M, "pause": W, "delete": W}),
        ("/api/v1/render/many/jobs", "render", "rendering", {"retry": W, "cancel": W}),
        ("/api/v1/many/rules", "rule_uid", "rules", {"pause": W, "resume": W, "delete": W}),
    )
    return [
        Many(f"{path}/{verb}?dry_run=true", {}, about, area, right)
        for path, about, area, rights in lists
        for verb, right in rights.items()
    ]


async def ask(asker: Asker, door: Many, names: dict[str, str]) -> str:
    given = (
        {"data": {**door.body, "id": [names[door.about]]}}
        if door.is_page
        else {"json": {**door.body, "ids": [names[door.about]]}}
    )
    headers = {"Idempotency-Key": uuid4().hex, "Accept": "text/html" if door.is_page else "application/json"}
    answer = await patiently(lambda: asker.client.post(door.path, headers=headers, **given))
    if answer.status_code == 403:
        return "forbidden"
    if door.is_page:
        return {303: NOTHING, 500: "allowed"}.get(answer.status_code, answer.text)
    # the commit of what was done fails
    return "allowed" if answer.status_code == 500 else _read_result(answer)


def _read_result(answer: httpx2.Response) -> str:
    if answer.status_code != 200:
        return answer.text
    [result] = answer.json()["results"]
    if result["code"] == "not_allowed":
        return "forbidden"
    missing = "not_found" in (result["code"], result["result"]) or str(result["code"]).endswith("_not_found")
    return "not found" if missing else "allowed"


async def test_many_at_once_are_each_asked_as_one_would_be(web: Web) -> None:
    names = await furnish(web)
    async with web.db.transaction() as tx:
        names["serving"] = str(await queue.enqueue(tx, NewJob(SERVING, {"ids": []}, unit_id=web.unit("haeundae").id)))
    people = await list_people(web)
    programs = {area: await list_programs(web, area) for area in ("messaging", "adgroups", "rendering", "rules")}
    async with web.db.transaction() as tx:
        await tx.script(Path(test_doors.__file__).with_suffix(".sql").read_text())

    wrong, seen = [], set()
    for door in _list_many():
        for asker in people if door.is_page else (*people, *programs[door.area]):
            expected = asker.expects(Verb(door.area, door.right, ()))
            answer = await ask(asker, door, names)
            seen.add((expected, answer))
            if answer not in door.accepts(expected):
                wrong.append(f"{asker.name} at {door.path} {door.body} {door.about}: {answer[:200]}, not {expected}")

    assert "\n".join(wrong) == ""
    # each kind of answer was met, and a page did something for whoever may
    assert seen >= {
        ("allowed", "allowed"),
        ("forbidden", "forbidden"),
        ("not found", "not found"),
        ("forbidden", NOTHING),
    }


async def test_the_broker_takes_every_event_that_people_may_send() -> None:
    _, rights = TAKES["adgroup"]

    assert set(INCOMING) == {f"adgroup.{event}" for event in rights}


@dataclass(frozen=True)
class Command:
    """`line` is what the command says of the event, and `action` what its audit does. `before`: what is sent first, how
    long is waited, or what else is asked, so that it leads somewhere."""

    line: str
    action: str
    before: tuple[str | timedelta | Door, ...] = ()


BEGUN, EVENING, NIGHT = (timedelta(days=1), timedelta(hours=9), timedelta(hours=15))
SILENT = Door("/api/v1/alerts/{alr}/silence", {"until": "{soon}"})
DEVICE = "msg bot {event} {bot_device}"
CONVERSATION = {
    event: f"relay conv {event} {{relay_conversation}}{' --yes' if event in ('unpair', 'block') else ''}"
    for event in ("approve", "reject", "unpair", "block", "unblock")
}
COMMANDS = {
    **{
        ("adgroup", event): Command("ad send {event} {adg} --yes", f"adgroups.{event}", before)
        for event, before in {
            "complete_setup": ("reject",),
            "approve": (),
            "reject": (),
            "pause": ("approve",),
            "resume": ("approve", "pause"),
            "delete": (),
            "start": ("approve", BEGUN),
            "expire": ("approve", timedelta(days=8)),
            "daily_end": ("approve", BEGUN, "start", EVENING),
            "daily_start": ("approve", BEGUN, "start", EVENING, "daily_end", NIGHT),
        }.items()
    },
    **{
        ("bot_device", event): Command(DEVICE, f"messaging.device_{event}", before)
        for event, before in {
            "approve": ("revoke",),
            "deny": ("block", "unblock"),
            "revoke": (),
            "block": (),
            "unblock": ("block",),
        }.items()
    },
    **{
        ("relay_conversation", event): Command(CONVERSATION[event], f"relay.conversation_{event}", before)
        for event, before in {"approve": (), "reject": (), "unpair": (), "block": (), "unblock": ("block",)}.items()
    },
    **{
        ("render", event): Command(f"render job {event} {{render}}", f"rendering.render_{event}", before)
        for event, before in {"cancel": (), "retry": ("release", "cancel"), "release": ()}.items()
    },
    **{
        ("rule", event): Command(f"rule {event} {{rule_uid}}{more}", f"rules.rule_{event}", before)
        for event, more, before in (("pause", "", ()), ("resume", "", ("pause",)), ("delete", " --yes", ()))
    },
    **{
        ("heartbeat", event): Command(f"rule heartbeat {event} {{heartbeat}}", f"rules.heartbeat_{event}", before)
        for event, before in {"pause": (), "resume": ("pause",)}.items()
    },
    **{("plan", event): Command(f"plan {event} {{plan}}", f"rules.plan_{event}") for event in ("withdraw", "redo")},
    ("alert", "acknowledge"): Command("alert ack {alr}", "alerts.acknowledge"),
    ("alert", "unsilence"): Command("alert unsilence {alr}", "alerts.unsilence", (SILENT,)),
    ("message_schedule", "activate"): Command(
        "msg schedule resume {message_schedule}", "messaging.activate_schedule", ("deactivate",)
    ),
    ("message_schedule", "deactivate"): Command(
        "msg schedule pause {message_schedule}", "messaging.deactivate_schedule"
    ),
    ("message_schedule", "delete"): Command(
        "msg schedule delete {message_schedule} --yes", "messaging.delete_schedule"
    ),
    ("delivery", "resume"): Command("msg delivery resume {dlv}", "messaging.resume"),
}


def test_every_event_of_an_app_has_a_command() -> None:
    assert set(COMMANDS) == {
        (name, event) for name, (_, rights) in TAKES.items() for event in rights if name != "kettle"
    }


def _list_rounds() -> list[list[tuple[str, str]]]:
    """Of every machine one event, the next of each, and so on; ad groups last, because days go by for them."""
    events = {name: [one for one in COMMANDS if one[0] == name] for name, _ in COMMANDS}
    events["adgroup"] = events.pop("adgroup")
    return [[one for one in of_all if one] for of_all in zip_longest(*events.values())]


@pytest.mark.parametrize("round_", _list_rounds(), ids=lambda one: f"{one[-1][1]} and {len(one) - 1} more")
async def test_a_command_and_the_shared_door_are_one_action(
    web: Web, tmp_path: Path, round_: list[tuple[str, str]]
) -> None:
    names, admin = await furnish(web), await web.as_("haeundae", Role.ADMIN)
    inside = Inside(tmp_path, web.db.url)
    for machine, event in round_:
        await _try_both(web, admin, inside, names, machine, event)


async def _try_both(
    web: Web, admin: httpx2.AsyncClient, inside: Inside, names: dict[str, str], machine: str, event: str
) -> None:
    command, door = COMMANDS[machine, event], f"/api/v1/machines/{machine}/subjects/{names[machine]}/events"
    for step in command.before:
        await _lead(web, admin, step, door, names)
    tried = await admin.post(f"{door}?dry_run=true", json={"event": event})

    line = command.line.format(event=event, **names).split()
    ran = await inside(*line, PABAL_SECRET_KEY=SECRET)
    again = await admin.post(door, json={"event": event})

    assert (tried.status_code, tried.json()["effect"]["allowed"], ran.code) == (200, True, 0), (tried.text, ran.err)
    async with web.db.transaction() as tx:
        assert (await audit.list_entries(tx, audit.Wanted()))[0].action == command.action
    assert (again.status_code, again.json()["code"]) == (409, "move_not_allowed"), f"{machine} {event}"


LIVES: dict[str, tuple[str | timedelta | Door, ...]] = {
    "rule": ("pause", "resume", "delete"),
    "heartbeat": ("pause", "resume"),
    "plan": ("withdraw", "redo"),
    "bot_device": ("revoke", "approve", "block", "unblock", "deny"),
    "alert": (SILENT, "unsilence", "acknowledge"),
    "message_schedule": ("deactivate", "activate", "delete"),
    "delivery": ("resume",),
    "relay_conversation": ("approve", "unpair", "block", "unblock"),
    "render": ("release", "cancel", "retry"),
    # last, because days go by
    "adgroup": (
        *("reject", "complete_setup", "approve", "pause", "resume", BEGUN, "start"),
        *(EVENING, "daily_end", NIGHT, "daily_start", timedelta(days=8), "expire"),
    ),
}


async def test_the_shared_door_does_what_the_app_s_own_verb_does(web: Web) -> None:
    """Not the plain move, which would leave a deleted schedule's timetable behind: its audit tells which it was."""
    names, admin = await furnish(web), await web.as_("haeundae", Role.ADMIN)
    lives = [(machine, names[machine], life) for machine, life in LIVES.items()]
    done = {}
    # a second ad group, because nobody deletes what has expired, and a second user, because one waits but once
    others = [
        ("adgroup", names["approved"], ("delete",)),
        ("relay_conversation", names["relay_pending"], ("reject",)),
    ]
    for machine, subject, life in (*others, *lives):
        for step in life:
            await _lead(web, admin, step, f"/api/v1/machines/{machine}/subjects/{subject}/events", names)
            if isinstance(step, str):
                async with web.db.transaction() as tx:
                    done[machine, step] = (await audit.list_entries(tx, audit.Wanted()))[0].action

    assert done == {one: command.action for one, command in COMMANDS.items()}


async def _lead(
    web: Web, admin: httpx2.AsyncClient, step: str | timedelta | Door, door: str, names: dict[str, str]
) -> None:
    if isinstance(step, timedelta):
        async with web.db.transaction() as tx:
            now = tx.now
        await set_clock(web.db, now + step)
        return
    path, body = (door, {"event": step}) if isinstance(step, str) else (step.path, step.body)
    given = {name: value.format(**names) for name, value in body.items()}
    answer = await admin.post(path.format(**names), json=given)
    assert answer.status_code == 200, answer.text
