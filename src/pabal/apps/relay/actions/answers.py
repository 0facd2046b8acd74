"""What goes to Kakao for one message: its own answers, and late ones of the same conversation in front of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pabal.apps.relay.model.messages import Reply
from pabal.apps.relay.model.outputs import Bubbles, read_answer
from pabal.apps.relay.model.skill import read_request
from pabal.apps.relay.store import replies
from pabal.base.database import Tx

# More late answers than this do not fit into one.
MOST_LATE_REPLIES = 5


@dataclass(frozen=True, slots=True)
class Late:
    """Late answers that may go out now, locked."""

    replies: list[Reply]

    @property
    def answers(self) -> list[Bubbles]:
        return read_answers(self.replies)


async def take_late(tx: Tx, conversation_id: int) -> Late:
    return Late(await replies.lock_deferred(tx, conversation_id, most=MOST_LATE_REPLIES))


def read_answers(said: Sequence[Reply]) -> list[Bubbles]:
    """What was taken in was checked then."""
    return [read for one in said if isinstance(read := read_answer(one.response), Bubbles)]


def lang_of(payload: dict[str, Any]) -> str:
    found = read_request(payload)
    return "ko" if found is None else found.lang
