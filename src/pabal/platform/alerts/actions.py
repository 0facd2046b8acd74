"""What people say to alerts. Each verb asks for the right, checks what they see, moves, and writes the audit."""

from datetime import datetime, timedelta

from pabal.base.database import Tx
from pabal.engine.transitions import transition, transition_many
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.alerts import store
from pabal.platform.alerts.machine import ALERT, Event
from pabal.platform.alerts.model import AREA, Alert, AlertRule, BadSilence, NoteTooLong
from pabal.platform.alerts.store import RuleSilence
from pabal.platform.controls import ByHand, MachineControls, NotByHand
from pabal.platform.tenants import require_house, visible_to

LONGEST_SILENCE = timedelta(days=30)
LONGEST_NOTE = 500


async def acknowledge(tx: Tx, actor: Actor, alert_id: int, *, note: str = "", version: int | None = None) -> Alert:
    """Somebody takes care of it: no more reminders. It still ends by itself. `version` is the one they saw."""
    alert = await _mine(tx, actor, alert_id)
    return await _move(tx, actor, alert, Event.ACKNOWLEDGE, note=note, version=version)


async def silence(
    tx: Tx, actor: Actor, alert_id: int, *, until: datetime, note: str = "", version: int | None = None
) -> Alert:
    """Nobody is told until then; if it has not ended by then, it fires again. A second silence moves the end."""
    alert = await _mine(tx, actor, alert_id)
    await store.set_silence(tx, [alert.id], _checked_end(until, tx.now))
    return await _move(tx, actor, alert, Event.SILENCE, note=note, version=version)


async def unsilence(tx: Tx, actor: Actor, alert_id: int, *, note: str = "", version: int | None = None) -> Alert:
    alert = await _mine(tx, actor, alert_id)
    return await _move(tx, actor, alert, Event.UNSILENCE, note=note, version=version)


async def silence_rule(tx: Tx, actor: Actor, rule: AlertRule, *, until: datetime, note: str = "") -> RuleSilence:
    """For planned work, for the whole house: what the rule fires until then is silent, and so is what fires now."""
    await require_house(tx, actor, Right.WRITE, AREA)
    put = RuleSilence(rule.name, _checked_end(until, tx.now), _checked_note(note), actor.name, actor.label, tx.now)
    await store.put_rule_silence(tx, put)
    fires = await store.list_open_of(tx, rule.name)
    await store.set_silence(tx, fires, put.until)
    await transition_many(tx, ALERT, fires, Event.SILENCE, actor=actor.name, reason=put.note or None)
    await audit.record(
        tx, actor, "alerts.silence_rule", f"rule:{rule.name}", after={"until": put.until.isoformat(), "note": put.note}
    )
    return put


async def unsilence_rule(tx: Tx, actor: Actor, rule: AlertRule) -> None:
    """All its silent alerts fire again. Repeating it changes nothing."""
    await require_house(tx, actor, Right.WRITE, AREA)
    if not await store.delete_rule_silence(tx, rule.name):
        return
    await transition_many(
        tx, ALERT, await store.list_open_of(tx, rule.name), Event.UNSILENCE, actor=actor.name, reason=None
    )
    await audit.record(tx, actor, "alerts.unsilence_rule", f"rule:{rule.name}")


async def _mine(tx: Tx, actor: Actor, alert_id: int) -> Alert:
    actor.require(Right.WRITE, AREA)
    return await store.get_alert(tx, await visible_to(tx, actor), alert_id)


async def _move(tx: Tx, actor: Actor, before: Alert, event: Event, *, note: str, version: int | None) -> Alert:
    said = _checked_note(note)
    await transition(tx, ALERT, before.id, event, actor=actor.name, reason=said or None, expect_version=version)
    after = await store.get_alert(tx, await visible_to(tx, actor), before.id)
    await audit.record(
        tx,
        actor,
        f"alerts.{event}",
        f"alert:{before.id}",
        unit_id=before.unit_id,
        before=_shown(before),
        after={**_shown(after), "note": said},
    )
    return after


def _checked_end(until: datetime, now: datetime) -> datetime:
    if until.tzinfo is None or not now < until <= now + LONGEST_SILENCE:
        raise BadSilence(until.isoformat())
    return until


def _checked_note(note: str) -> str:
    said = note.strip().replace("\0", "")
    if len(said) > LONGEST_NOTE:
        raise NoteTooLong(str(len(said)))
    return said


def _shown(alert: Alert) -> dict[str, object]:
    until = None if alert.silenced_until is None else alert.silenced_until.isoformat()
    return {"state": alert.state, "silenced_until": until}


async def _acknowledge(tx: Tx, actor: Actor, alert_id: int, _event: str, reason: str | None) -> None:
    await acknowledge(tx, actor, alert_id, note=reason or "")


async def _unsilence(tx: Tx, actor: Actor, alert_id: int, _event: str, reason: str | None) -> None:
    await unsilence(tx, actor, alert_id, note=reason or "")


CONTROLS = MachineControls(
    ALERT,
    AREA,
    {
        Event.ACKNOWLEDGE: ByHand(Right.WRITE, _acknowledge),
        Event.SILENCE: NotByHand("POST /api/v1/alerts/{id}/silence"),
        Event.UNSILENCE: ByHand(Right.WRITE, _unsilence),
        Event.RESOLVE: NotByHand(),
    },
)
