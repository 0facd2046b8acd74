"""An attempt that ends in the statement that moves its subject: as if in a transaction, and nothing promised less."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.base.telemetry import count_emitted
from pabal.engine.finishing import Finish
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import DONE, Outcome
from pabal.engine.steps import Attempts
from pabal.engine.transitions import Because, Picking, begin_in, history, transition
from tests.support.adgroup import Event, State, create_table, declare, get_group
from tests.support.work import begin_life, claim_one, lapse, leases, place, rescue, results, stale, start

SQL = load(__file__)
ERRAND = "test.reject"
BECAUSE = Because("engine", "it was refused")
GROUP = declare(timers={}, effects={})


class Reject:
    """Steps that reject one ad group: known in advance, or thought about."""

    def __init__(self, group: int) -> None:
        self.group, self.calls = group, list[str]()
        self.is_known = True
        self.during: Callable[[], Awaitable[Any]] | None = None

    async def prepare(self, tx: Tx, job: Job) -> int:
        return self.group

    async def perform(self, job: Job, prepared: int) -> str:
        if self.during is not None:
            await self.during()
        return "performed"

    def finish(self, prepared: int, result: str) -> Finish | None:
        if not self.is_known:
            return None
        picking = Picking(SQL.pick_one, SQL.note_it, {"id": prepared, "note": result})
        move = (Event.REJECT, State.READY, State.DRAFT)
        return Finish(GROUP, move, picking, BECAUSE, lambda: self.calls.append("finished"))

    async def record(self, tx: Tx, prepared: int, result: str) -> Outcome:
        self.calls.append("recorded")
        await transition(tx, GROUP, prepared, Event.REJECT, actor=BECAUSE.actor, reason=BECAUSE.reason)
        return DONE

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None: ...


@pytest.fixture
async def groups(db: Database) -> Database:
    await create_table(db)
    return db


async def make(db: Database, state: State = State.READY) -> Reject:
    async with db.transaction() as tx:
        group: int = await tx.value(SQL.insert_in, state=state)
        await begin_in(tx, GROUP, {group: state}, BECAUSE)
    return Reject(group)


async def attempt(db: Database, reject: Reject, job: Job) -> Any:
    kinds = Kinds()
    kinds.steps(ERRAND, reject)
    return await Attempts(db, kinds).perform(1, job)


async def look(db: Database, job: Job, reject: Reject) -> dict[str, Any]:
    """All that an end leaves, without what is the job's and the group's own."""
    async with db.transaction() as tx:
        moves = await history(tx, GROUP, reject.group)
        [kept] = await tx.rows(SQL.count_kept, job=job.id, subject=f"{GROUP.name}:{reject.group}")
    group = await get_group(db, reject.group)
    last = moves[-1]
    return {
        "group": (group.state, group.version),
        "history": [last.version, last.event, last.source, last.target, last.actor, last.reason],
        "job": (await results(db, job.id), (await place(db, job.id)).place, await leases(db)),
        "kept": dict(kept),
    }


async def test_one_statement_leaves_what_a_transaction_would(groups: Database) -> None:
    quick, slow = await make(groups), await make(groups)
    slow.is_known = False
    one, other = await start(groups, ERRAND, key="a"), await start(groups, ERRAND, key="b")
    settled = count_emitted("claims.settled")

    ended = [await attempt(groups, quick, one), await attempt(groups, slow, other)]

    assert (ended, quick.calls, slow.calls) == ([None, None], ["finished"], ["recorded"])
    found = await look(groups, one, quick)
    assert found == await look(groups, other, slow)
    assert found["group"] == (State.DRAFT, 2)
    assert found["job"][0] == [(1, "done", True)]
    assert await leases(groups) == []
    assert found["kept"] == {"keys": 0, "facts": 2, "named": True}
    assert (await get_group(groups, quick.group)).note == "performed"
    assert count_emitted("claims.settled") == settled + 2
    assert await stale(groups) == []


async def test_an_attempt_that_lost_its_job_moves_nothing(groups: Database) -> None:
    reject = await make(groups)
    job = await start(groups, ERRAND)

    async def lose() -> None:
        [(_, worker)] = await leases(groups)
        await lapse(groups, worker)
        await rescue(groups)

    reject.during = lose
    ended = await attempt(groups, reject, job)

    assert (ended, reject.calls) == (None, [])
    assert (await get_group(groups, reject.group)).state == State.READY
    assert [one[:2] for one in await stale(groups)] == [(job.id, job.token)]


async def test_nor_does_one_whose_job_is_somebody_elses_by_now(groups: Database) -> None:
    reject = await make(groups)
    job = await start(groups, ERRAND)
    again: list[Job] = []

    async def lose() -> None:
        [(_, worker)] = await leases(groups)
        await lapse(groups, worker)
        await rescue(groups)
        again.append(await claim_one(groups, await begin_life(groups), ERRAND))

    reject.during = lose
    await attempt(groups, reject, job)

    assert (reject.calls, (await get_group(groups, reject.group)).state) == ([], State.READY)
    assert [one.token for one in again] == [job.token + 1]
    assert [one for one, _ in await leases(groups)] == [job.id]


async def test_a_subject_that_stands_elsewhere_is_left_to_its_record(groups: Database) -> None:
    reject = await make(groups, State.DRAFT)
    job = await start(groups, ERRAND)

    ended = await attempt(groups, reject, job)

    assert reject.calls == ["recorded"]
    assert type(ended).__name__ == "Retry"
    assert [one for one, _ in await leases(groups)] == [job.id]


@pytest.mark.parametrize("options", [{"lane": "one"}, {"records_end": True}], ids=["a lane", "somebody is told"])
async def test_what_ends_more_than_itself_is_recorded_as_ever(groups: Database, options: dict[str, Any]) -> None:
    reject = await make(groups)
    job = await start(groups, ERRAND, **options)

    await attempt(groups, reject, job)

    assert reject.calls == ["recorded"]
    assert (await look(groups, job, reject))["group"] == (State.DRAFT, 2)
