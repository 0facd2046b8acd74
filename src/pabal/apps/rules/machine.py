"""The two machines: whether a rule runs by itself, and what becomes of a run."""

from enum import StrEnum

from pabal.apps.rules.model.rules import RULE_ABOUT, RUN_ABOUT, RuleRunState, RuleState
from pabal.engine.machine import Machine, move


class RuleEvent(StrEnum):
    PAUSE = "pause"
    RESUME = "resume"
    DELETE = "delete"


class RunEvent(StrEnum):
    RETRY = "retry"
    SUCCEED = "succeed"
    FAIL = "fail"


_R, _RE = RuleState, RuleEvent
RULE = Machine(
    name=RULE_ABOUT,
    table="rules.rule",
    states=RuleState,
    initial=_R.ACTIVE,
    final=(_R.DELETED,),
    moves=(
        move(_RE.PAUSE, _R.ACTIVE, _R.PAUSED),
        move(_RE.RESUME, _R.PAUSED, _R.ACTIVE),
        move(_RE.DELETE, (_R.ACTIVE, _R.PAUSED), _R.DELETED),
    ),
)

_S, _SE = RuleRunState, RunEvent
RULE_RUN = Machine(
    name=RUN_ABOUT,
    table="rules.run",
    states=RuleRunState,
    initial=_S.RUNNING,
    final=(_S.SUCCESS, _S.FAILURE),
    moves=(
        # an attempt failed, and another one follows
        move(_SE.RETRY, _S.RUNNING, _S.RUNNING),
        move(_SE.SUCCEED, _S.RUNNING, _S.SUCCESS),
        move(_SE.FAIL, _S.RUNNING, _S.FAILURE),
    ),
)
