"""Signals: what steps wait for. Sending one takes the waits for it and lets their runs go on, in one commit."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pabal.base.database import Row, Tx
from pabal.base.errors import Invalid
from pabal.base.sql import load
from pabal.engine import withdrawals
from pabal.engine.queue import NewJob, enqueue_many
from pabal.engine.workflows.model import LARGEST_INPUT
from pabal.engine.workflows.stopping import STRAND

SQL = load(__file__)


class SignalTooLarge(Invalid, code="signal_too_large"):
    """What a signal brings is JSON of at most 65,536 bytes. Keep more in a file or a table, and name it here."""


class StepPlace(NamedTuple):
    """A step that waits, or the item of one."""

    run_id: int
    step: int
    item: int
    undo: bool


def event_signal(name: str, key: str | None = None, unit_id: int | None = None) -> str:
    """What a step that waits for an event waits for; without a key any event of the name is right.

    Runs hear events of their own unit; whoever passes on events says which units those are.
    """
    where = "" if unit_id is None else f"{unit_id}:"
    return f"event:{where}{name}" if key is None else f"event:{where}{name}#{key}"


async def find_awaited(tx: Tx, signals: Sequence[str]) -> list[str]:
    """Those of them that somebody waits for now."""
    return [row["signal"] for row in await tx.rows(SQL.find_awaited, signals=list(signals))]


async def send(tx: Tx, signal: str, data: Mapping[str, Any]) -> int:
    """To everybody who waits for it now; answers how many. Locks no run, so any commit may send one."""
    check_size(data)
    return await _wake(tx, await tx.rows(SQL.take_waits, signals=[signal]), {signal: data})


async def send_many(tx: Tx, signals: Mapping[str, Mapping[str, Any]]) -> int:
    for data in signals.values():
        check_size(data)
    return await _wake(tx, await tx.rows(SQL.take_waits, signals=sorted(signals)), signals) if signals else 0


async def send_to_run(tx: Tx, run_id: int, signal: str, data: Mapping[str, Any]) -> None:
    """To one run: kept for it if it does not wait for it yet."""
    check_size(data)
    rows = await tx.rows(SQL.take_waits_of, signal=signal, run=run_id)
    if not await _wake(tx, rows, {signal: data}):
        await tx.run(SQL.keep_signal, run=run_id, signal=signal, data=dict(data))


async def _wake(tx: Tx, rows: Sequence[Row], signals: Mapping[str, Mapping[str, Any]]) -> int:
    if not rows:
        return 0
    places = [StepPlace(row["run_id"], row["step"], row["item"], row["undo"]) for row in rows]
    jobs = [
        strand_job(place, row["unit_id"], signal=dict(signals[row["signal"]]))
        for place, row in zip(places, rows, strict=True)
    ]
    answers = await enqueue_many(tx, jobs)
    timers = await tx.rows(
        SQL.hand_over,
        runs=[one.run_id for one in places],
        steps=[one.step for one in places],
        items=[one.item for one in places],
        undos=[one.undo for one in places],
        jobs=[answer.id for answer in answers],
    )
    await withdrawals.ask(tx, [row["timer"] for row in timers if row["timer"] is not None], reason="the signal came")
    return len(places)


def strand_job(place: StepPlace, unit_id: int | None, **more: Any) -> NewJob:
    """The job that goes on with a step."""
    args = {"run": place.run_id, "step": place.step, "item": place.item, "undo": place.undo, **more}
    return NewJob(STRAND, args, about=f"workflow_run:{place.run_id}", unit_id=unit_id)


def check_size(data: Mapping[str, Any]) -> None:
    size = len(json.dumps(data, ensure_ascii=False).encode())
    if size > LARGEST_INPUT:
        raise SignalTooLarge(f"{size} bytes")
