"""A verb on many at once asks of each what it asks of one, of every role; a command and the broker do the same."""

from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest

from pabal.apps.adgroups.incoming import EVENTS as INCOMING
from pabal.apps.adgroups.model.adgroups import TIMED
from pabal.engine import queue
from pabal.engine.queue import NewJob
from pabal.platform import audit
from pabal.platform.actor import Right, Role
from tests.cli.inside import Inside
from tests.flows import test_doors
from tests.flows.test_doors import (
    TAKES,
    Asker,
    Verb,
    furnish,
    list_people,
    list_programs,
    patiently,
    unlogged,
    web_settings,
)
from tests.support.web import Web

__all__ = ["unlogged", "web_settings"]

BULK, ADGROUPS = "/api/v1/bulk", "/api/v1/adgroups/events/bulk"
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
    return [*engine, *pages, *events]


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
    return "not found" if "not_found" in (result["code"], result["result"]) else "allowed"


async def test_many_at_once_are_each_asked_as_one_would_be(web: Web) -> None:
    names = await furnish(web)
    async with web.db.transaction() as tx:
        names["serving"] = str(await queue.enqueue(tx, NewJob(SERVING, {"ids": []}, unit_id=web.unit("haeundae").id)))
    people = await list_people(web)
    programs = {area: await list_programs(web, area) for area in ("messaging", "adgroups")}
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


async def test_the_broker_takes_what_people_send_and_nothing_that_only_the_clock_does() -> None:
    _, rights = TAKES["adgroup"]

    assert set(INCOMING) == {f"adgroup.{event}" for event in rights if event not in TIMED}


# machine, event, what its audit says, and the command
COMMANDS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("adgroup", "approve", "adgroups.approve", ("ad", "send", "approve", "{adg}", "--yes")),
    ("adgroup", "delete", "adgroups.delete", ("ad", "send", "delete", "{adg}", "--yes")),
    ("alert", "acknowledge", "alerts.acknowledge", ("alert", "ack", "{alr}")),
    ("bot_device", "block", "messaging.device_block", ("msg", "bot", "block", "{bot_device}")),
    (
        *("message_schedule", "deactivate", "messaging.deactivate_schedule"),
        ("msg", "schedule", "pause", "{message_schedule}"),
    ),
    (
        *("message_schedule", "delete", "messaging.delete_schedule"),
        ("msg", "schedule", "delete", "{message_schedule}", "--yes"),
    ),
)


@pytest.mark.parametrize(("machine", "event", "action", "line"), COMMANDS, ids=lambda one: str(one)[:20])
async def test_a_command_and_the_shared_door_are_one_action(
    web: Web, tmp_path: Path, machine: str, event: str, action: str, line: tuple[str, ...]
) -> None:
    names, admin = await furnish(web), await web.as_("haeundae", Role.ADMIN)
    door = f"/api/v1/machines/{machine}/subjects/{names[machine]}/events"
    tried = await admin.post(f"{door}?dry_run=true", json={"event": event})

    ran = await Inside(tmp_path, web.db.url)(*(word.format(**names) for word in line))
    again = await admin.post(door, json={"event": event})

    assert (tried.status_code, ran.code) == (200, 0), (tried.text, ran.err)
    async with web.db.transaction() as tx:
        assert (await audit.list_entries(tx, audit.Wanted()))[0].action == action
    assert (again.status_code, again.json()["code"]) == (409, "move_not_allowed")
