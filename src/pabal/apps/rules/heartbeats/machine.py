"""A heartbeat's life. A report while it is up moves nothing: it puts off the timers, so that histories stay short."""

from datetime import datetime
from enum import StrEnum

from pabal.apps.rules.heartbeats.model import ABOUT, Heartbeat, HeartbeatState
from pabal.apps.rules.heartbeats.store import load_heartbeats
from pabal.engine.machine import Machine, Moments, arms, move


class HeartbeatEvent(StrEnum):
    SUCCEED = "succeed"
    FAIL = "fail"
    RUN_LATE = "run_late"
    MISS = "miss"
    PAUSE = "pause"
    RESUME = "resume"


_S, _E = HeartbeatState, HeartbeatEvent


@arms(_E.RUN_LATE, _E.MISS)
def while_up(heartbeat: Heartbeat, now: datetime) -> Moments:
    """One that began must end within its grace time."""
    began = heartbeat.started_at
    return {_E.RUN_LATE: heartbeat.late_at, _E.MISS: None if began is None else began + heartbeat.grace}


@arms(_E.MISS)
def while_late(heartbeat: Heartbeat, now: datetime) -> Moments:
    return {_E.MISS: heartbeat.missed_at}


HEARTBEAT = Machine(
    name=ABOUT,
    table="rules.heartbeat",
    states=HeartbeatState,
    initial=_S.NEW,
    final=(),
    moves=(
        move(_E.SUCCEED, (_S.NEW, _S.LATE, _S.DOWN), _S.UP),
        move(_E.FAIL, (_S.NEW, _S.UP, _S.LATE), _S.DOWN),
        move(_E.RUN_LATE, _S.UP, _S.LATE),
        # from up: it began, and its end did not come in time
        move(_E.MISS, (_S.UP, _S.LATE), _S.DOWN),
        move(_E.PAUSE, (_S.NEW, _S.UP, _S.LATE, _S.DOWN), _S.PAUSED),
        # as new: nothing is expected before the next report
        move(_E.RESUME, _S.PAUSED, _S.NEW),
    ),
    timers={_S.UP: while_up, _S.LATE: while_late},
    loader=load_heartbeats,
)
