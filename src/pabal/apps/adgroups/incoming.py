"""What ad groups take in from a broker: every event, as from people, under the same guards, for the head office."""

from datetime import datetime
from typing import Any

from pabal.apps.adgroups.actions import events as actions
from pabal.apps.adgroups.errors import AdGroupNotFound, BadEventData
from pabal.apps.adgroups.machine import load_subjects
from pabal.apps.adgroups.model.adgroups import Event
from pabal.apps.adgroups.store.adgroups import find_legacy
from pabal.base.database import Tx
from pabal.engine import ids
from pabal.engine.transitions import GuardRefused, MoveNotAllowed
from pabal.platform import broker
from pabal.platform.actor import Actor

PREFIX = "adg"
MOST_REASON = 500


async def take(tx: Tx, actor: Actor, said: broker.Event) -> None:
    """`adgroup.PAUSE` about `adg_…` or about the id of the old system; data may hold a reason and the version that
    the sender saw. An event that came too early is refused like any other: the state is what decides."""
    event = Event(said.name.lower().partition(".")[2])
    reason, version = _read(said.data)
    ad_group_id = await _find(tx, said.subject)
    try:
        await actions.send(tx, actor, ad_group_id, event, reason=reason, expect_version=version)
    except (MoveNotAllowed, GuardRefused) as error:
        report = await _report(tx, ad_group_id, event)
        raise broker.EventNotApplied(str(error), why=error.code, report=report) from error


def _read(data: dict[str, Any]) -> tuple[str | None, int | None]:
    reason, version = data.get("reason"), data.get("expect_version")
    if not (reason is None or (isinstance(reason, str) and len(reason) <= MOST_REASON)):
        raise BadEventData("reason")
    if not (version is None or type(version) is int):
        raise BadEventData("expect_version")
    return reason, version


async def _find(tx: Tx, subject: str) -> int:
    found = ids.read(PREFIX, subject) if subject.startswith(f"{PREFIX}_") else await find_legacy(tx, subject)
    if found is None or found > ids.LAST:
        raise AdGroupNotFound(subject)
    return found


async def _report(tx: Tx, ad_group_id: int, event: Event) -> dict[str, Any]:
    [subject] = await load_subjects(tx, [ad_group_id])
    explained = actions.explain_one(subject, event, tx.now)
    return {
        "state": subject.state.upper(),
        "event": event.upper(),
        "guard": explained.guard,
        "conditions": [
            {
                "name": one.name,
                "holds": one.holds,
                "values": {name: _plain(value) for name, value in one.values.items()},
            }
            for one in explained.checked
        ],
    }


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


EVENTS: dict[str, broker.EventHandler] = {f"adgroup.{event}": take for event in Event}
