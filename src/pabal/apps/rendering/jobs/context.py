"""What all stages of an attempt share: its fenced commits, its waits, its log, and what calls it off."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.farm import Farm, Template
from pabal.apps.rendering.machine import RENDER, RenderEvent
from pabal.apps.rendering.model.estimates import Estimate
from pabal.apps.rendering.model.faults import Ladder
from pabal.apps.rendering.model.renders import Reason, Render, Stage
from pabal.apps.rendering.store import renders, traces
from pabal.base.database import ConnectionFailure, Database, DatabaseUnavailable, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import claims
from pabal.engine.kinds import Job, Stop
from pabal.engine.transitions import transition
from pabal.platform.secrets import Vault
from pabal.platform.settings import Values

T = TypeVar("T")
PAUSES = (0.05, 0.1, 0.2, 0.5, 1.0)

declare("rendering.moved", "Changes of state of renders", labels=("source", "target"))
declare("rendering.retry", "Waits for something that stood in a render's way", labels=("reason",), level=30)


@dataclass(frozen=True, slots=True)
class Work:
    """What an attempt begins with, read in the commit that gave it a slot."""

    render: Render
    slot_id: UUID
    slot_name: str
    values: Values
    template: Template | None
    gfx_sealed: str = field(repr=False)
    estimate: Estimate

    @property
    def actor(self) -> str:
        return f"{traces.WORKER}{self.slot_id}"


class Failure(Exception):
    """It has failed: trying again would not help, or was tried often enough."""

    def __init__(self, reason: Reason, detail: str) -> None:
        self.reason, self.detail = reason, detail
        super().__init__(f"{reason}: {detail}")


class RunAgain(Exception):
    """This attempt came to nothing: it is rendered again from the beginning, under another name."""

    def __init__(self, reason: Reason, detail: str) -> None:
        self.reason, self.detail = reason, detail
        super().__init__(f"{reason}: {detail}")


class CancelSeen(Exception):
    """Somebody cancelled it."""


class StopSeen(Exception):
    """The server stops."""


class Taken(Exception):
    """The render is in other hands."""


class RenderContext:
    """`render` is as of the last look. Whoever lost the job finds out at the next commit, and changes nothing."""

    def __init__(self, database: Database, vault: Vault, farm: Farm, job: Job, work: Work) -> None:
        self.database, self.vault, self.farm, self.job, self.work = database, vault, farm, job, work
        self.render = work.render
        # a winding down is not called off by the cancel it comes from
        self.is_winding = work.render.is_winding_down

    @property
    def values(self) -> Values:
        return self.work.values

    async def write(self, action: Callable[[Tx], Awaitable[T]]) -> T:
        """In a commit of its own, fenced; the lock is renewed with it. Repeated while the database does not answer."""
        tries = 0
        while True:
            try:
                async with claims.fenced(self.database, self.job) as tx:
                    self.render = await self._hold(tx)
                    done = await action(tx)
                    self.render = await self._hold(tx)
                break
            except (DatabaseUnavailable, *ConnectionFailure) as error:
                emit("rendering.write_repeated", render=self.render.id, error=repr(error))
                await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
                tries += 1
        if self.job.stop is Stop.SHUTDOWN:
            raise StopSeen
        return done

    async def look(self) -> datetime:
        """What became of it meanwhile, and the database's moment. The lock is renewed when it is time."""
        return await self.write(_moment)

    async def _hold(self, tx: Tx) -> Render:
        """Locked: nobody can cancel it between this and what is written next."""
        lock, beat = self.values[own.LOCK], self.values[own.HEARTBEAT]
        found = await renders.hold_render(tx, self.render.id)
        if found is None or found.job_id != self.job.id or found.worker_id != self.work.slot_id:
            raise Taken
        if found.is_winding_down and not self.is_winding:
            raise CancelSeen
        if found.lock_expires_at is None or found.lock_expires_at < tx.now + lock - beat:
            await renders.renew(tx, found.id, tx.now + lock)
        return found

    async def pause(self, wait: timedelta) -> None:
        """Between two looks, by this process's clock."""
        await self.farm.sleep(wait.total_seconds())

    async def wait_until(self, moment: datetime) -> None:
        """By the database's clock: it may be a long time, and another process may wait the rest of it."""
        # the clock is the database's, so no event of this process can say when
        while (now := await self.look()) < moment:  # noqa: ASYNC110
            await asyncio.sleep(min((moment - now).total_seconds(), self.farm.tick))

    # stages

    async def enter(self, stage: Stage) -> None:
        """The stage before is over with the same commit."""
        if self.render.stage == stage and self.render.stage_began_at is not None:
            return

        async def begin(tx: Tx) -> None:
            await begin_stage(tx, self.render, stage)

        await self.write(begin)

    async def move(self, tx: Tx, event: RenderEvent, *, note: str = "") -> None:
        await move(tx, self.render, event, self.work, note=note)

    async def log(self, tx: Tx, level: str, message: str) -> None:
        await traces.add_line(tx, self.render.id, level, message, worker=self.work.slot_name)

    async def note(self, level: str, message: str) -> None:
        async def add(tx: Tx) -> None:
            await self.log(tx, level, message)

        await self.write(add)

    # faults

    async def stumble(self, reason: Reason, ladder: Ladder, detail: str, *, least: timedelta = timedelta(0)) -> None:
        """Counts one more failure of this kind in a row and waits, or raises Failure when it was the last try.

        Count and moment are in the row: whoever goes on after a crash waits only for the rest.
        """
        count = self.render.fault_count + 1 if self.render.fault == reason else 1
        wait = ladder.wait(count)
        if wait is None:
            raise Failure(reason, detail)
        wait = max(wait, least)

        async def note(tx: Tx) -> datetime:
            moment = tx.now + wait
            await renders.note_fault(tx, self.render.id, reason, count=count, detail=detail, next_try_at=moment)
            said = f"retry {count}/{ladder.tries} in {wait.total_seconds():g} s: {reason}, {detail}"
            await self.log(tx, "WARNING", said)
            return moment

        moment = await self.write(note)
        emit("rendering.retry", reason=reason.value, render=self.render.id, attempt=count, delay=wait.total_seconds())
        await self.wait_until(moment)

    async def wait_out_fault(self) -> None:
        """What an attempt before this one was waiting for."""
        if self.render.next_try_at is not None:
            await self.wait_until(self.render.next_try_at)

    async def recovered(self) -> None:
        """What stood in its way is gone: the next fault is counted from one."""
        if self.render.fault is not None:

            async def clear(tx: Tx) -> None:
                await renders.clear_fault(tx, self.render.id)

            await self.write(clear)


declare("rendering.write_repeated", "Commits of renders repeated because the database did not answer", level=30)


async def _moment(tx: Tx) -> datetime:
    return tx.now


async def begin_stage(tx: Tx, render: Render, stage: Stage) -> None:
    if render.stage_began_at is not None:
        await traces.end_stage(tx, render.id, render.attempt, Stage(render.stage))
    await renders.set_stage(tx, render.id, stage)
    await traces.begin_stage(tx, render.id, render.attempt, stage)


async def move(tx: Tx, render: Render, event: RenderEvent, work: Work, *, note: str = "") -> None:
    moved = await transition(tx, RENDER, render.id, event, actor=work.actor, reason=note or None)
    said = f"status: {moved.source} → {moved.target}"
    shown = f"{said} ({note})" if note else said
    await traces.add_line(tx, render.id, "INFO", shown, worker=work.slot_name)
    emit("rendering.moved", source=moved.source, target=moved.target, render=render.id)


def as_report(report: Any) -> Mapping[str, Any]:
    """Names of fields and layers; what stands in them is nobody's business who reads a report."""
    return {
        "used": list(report.used),
        "unmapped": list(report.unmapped),
        "unused": list(report.unused),
        "empty": list(report.empty),
        "kept": list(report.kept),
        "too_long": [{"field": one.field, "length": one.length, "limit": one.limit} for one in report.too_long],
        "flags": [{"number": one.number, "layer": one.layer_name, "state": one.state} for one in report.flags],
        "pictures_unusable": [one.field for one in report.pictures_unusable],
    }
