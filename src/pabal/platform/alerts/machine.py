"""An alert's life: firing, acknowledged by somebody, silenced until a moment, resolved when its condition is gone."""

from datetime import datetime
from enum import StrEnum

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.machine import Machine, Moments, arms, move
from pabal.platform.alerts.model import Alert

SQL = load(__file__)


class State(StrEnum):
    FIRING = "firing"
    ACKNOWLEDGED = "acknowledged"
    SILENCED = "silenced"
    RESOLVED = "resolved"


class Event(StrEnum):
    ACKNOWLEDGE = "acknowledge"
    SILENCE = "silence"
    UNSILENCE = "unsilence"
    RESOLVE = "resolve"


OPEN = (State.FIRING, State.ACKNOWLEDGED, State.SILENCED)


@arms(Event.UNSILENCE)
def end_of_silence(alert: Alert, now: datetime) -> Moments:
    return {Event.UNSILENCE: alert.silenced_until}


async def load_alerts(tx: Tx, ids: list[int]) -> list[Alert]:
    return await tx.all(Alert, SQL.load_alerts, ids=ids)


ALERT = Machine(
    name="alert",
    table="pabal.alert",
    states=State,
    initial=State.FIRING,
    final=(State.RESOLVED,),
    moves=(
        move(Event.ACKNOWLEDGE, State.FIRING, State.ACKNOWLEDGED),
        # also while it is silent: that moves the end
        move(Event.SILENCE, OPEN, State.SILENCED),
        move(Event.UNSILENCE, State.SILENCED, State.FIRING),
        move(Event.RESOLVE, OPEN, State.RESOLVED),
    ),
    timers={State.SILENCED: end_of_silence},
    loader=load_alerts,
)
