"""What one callback of Kakao's says: the message's answers, late ones in front of them, and a button for the rest."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from pabal.apps.relay import settings as own
from pabal.apps.relay.model import outputs
from pabal.apps.relay.model.outputs import Bubbles, Composed
from pabal.apps.relay.model.skill import answer_with
from pabal.apps.relay.store.replies import Answerable, Called
from pabal.platform.settings import Values

SETTINGS = (*own.LATE_MARK, *own.MORE, own.QUEUE_TTL)
# A callback that overtakes our own answer is refused as an invalid token; so soon after it, one more try.
TOO_EARLY = timedelta(seconds=3)


@dataclass(frozen=True, slots=True)
class Call:
    message_id: int
    uid: UUID
    url: str = field(repr=False)
    skill: dict[str, Any] = field(repr=False)
    is_early: bool = False


def compose(fresh: Sequence[Bubbles], late: Sequence[Bubbles], values: Values, lang: str) -> Composed:
    mark, more = (values[own.in_language(one, lang)] for one in (own.LATE_MARK, own.MORE))
    return outputs.compose(fresh, late, mark=mark, more=more)


def plan_call(
    message: Answerable | Called, uid: UUID, url: str, made: Composed, *, now: datetime, attempt: int
) -> Call:
    skill = answer_with(made.outputs, made.quick_replies)
    is_early = attempt == 1 and now - message.created_at < TOO_EARLY
    return Call(message.id, uid, url, skill, is_early=is_early)
