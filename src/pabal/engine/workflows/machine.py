"""A run's life: it goes on until every step is over, or is stopped, and then perhaps takes back what it did."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.machine import Machine, Moments, arms, move
from pabal.engine.workflows import stopping

SQL = load(__file__)


class RunState(StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    # nothing new begins; what runs comes to its end or is stopped
    STOPPING = "stopping"
    COMPENSATING = "compensating"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class RunEvent(StrEnum):
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"
    EXPIRE = "expire"
    FINISH = "finish"
    COMPENSATE = "compensate"
    FAIL = "fail"
    CANCEL = "cancel"
    RETRY = "retry"


OPEN = (RunState.RUNNING, RunState.PAUSED, RunState.STOPPING, RunState.COMPENSATING)
OVER = (RunState.DONE, RunState.FAILED, RunState.CANCELLED)


@dataclass(frozen=True, slots=True)
class RunSubject:
    id: int
    unit_id: int | None
    state: str
    version: int
    ends_by: datetime


async def load_runs(tx: Tx, ids: list[int]) -> list[RunSubject]:
    return await tx.all(RunSubject, SQL.load_runs, ids=ids)


@arms(RunEvent.EXPIRE)
def at_its_limit(run: RunSubject, now: datetime) -> Moments:
    return {RunEvent.EXPIRE: run.ends_by}


async def _stop(tx: Tx, runs: list[Any]) -> None:
    await stopping.stop_open(tx, [run.id for run in runs])


WORKFLOW_RUN = Machine(
    name="workflow_run",
    table="pabal.workflow_run",
    states=RunState,
    initial=RunState.RUNNING,
    final=(RunState.DONE,),
    moves=(
        move(RunEvent.PAUSE, RunState.RUNNING, RunState.PAUSED),
        move(RunEvent.RESUME, RunState.PAUSED, RunState.RUNNING),
        move(RunEvent.STOP, (RunState.RUNNING, RunState.PAUSED), RunState.STOPPING),
        move(RunEvent.EXPIRE, (RunState.RUNNING, RunState.PAUSED), RunState.STOPPING),
        move(RunEvent.FINISH, RunState.RUNNING, RunState.DONE),
        move(RunEvent.COMPENSATE, RunState.STOPPING, RunState.COMPENSATING),
        move(RunEvent.FAIL, (RunState.STOPPING, RunState.COMPENSATING), RunState.FAILED),
        move(RunEvent.CANCEL, (RunState.STOPPING, RunState.COMPENSATING), RunState.CANCELLED),
        move(RunEvent.RETRY, (RunState.FAILED, RunState.CANCELLED), RunState.RUNNING),
    ),
    loader=load_runs,
    timers={RunState.RUNNING: at_its_limit, RunState.PAUSED: at_its_limit},
    effects={RunState.STOPPING: _stop},
)
