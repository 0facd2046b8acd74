"""What of a long answer did not fit: the user has a button for it, and whoever presses it gets the next part at once,
from what was kept and without the instance."""

import logging

from pabal.apps.relay import settings as own
from pabal.apps.relay.model import outputs
from pabal.apps.relay.model.skill import Skill, SkillRequest, answer_with, name_event
from pabal.apps.relay.store import rests
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.platform.settings import Values

declare("relay.rest.offered", "Answers too long for one, whose rest was kept for a button", level=logging.DEBUG)
declare("relay.rest.shown", "Parts of long answers that users asked for by that button", level=logging.DEBUG)


async def offer(tx: Tx, conversation_id: int, message_id: int | None, made: outputs.Composed, values: Values) -> None:
    """For the queue time. Without a text for the button there is none, and nothing is kept."""
    if not made.has_more:
        return
    until = tx.now + values[own.QUEUE_TTL]
    await rests.keep_rest(tx, conversation_id, message_id, made.rest, keep_until=until)
    emit("relay.rest.offered", conversation=conversation_id)


def may_go_on(request: SkillRequest, values: Values) -> bool:
    """Whether these are the words of the button."""
    return request.utterance.strip() in {values[one].strip() for one in own.MORE} - {""}


async def go_on(tx: Tx, conversation_id: int, request: SkillRequest, values: Values) -> Skill | None:
    """The next part, where the user pressed the button and something is kept. None: it is a message like any other."""
    if not may_go_on(request, values):
        return None
    kept = await rests.hold_rest(tx, conversation_id)
    event = name_event(request)
    if kept is not None and event is not None and event == kept.pressed_event:
        return kept.pressed_answer
    if kept is None or not kept.outputs:
        return None
    more = values[own.in_language(own.MORE, request.lang)]
    made = outputs.compose([outputs.Bubbles(tuple(kept.outputs))], more=more)
    answer = answer_with(made.outputs, made.quick_replies)
    until = tx.now + values[own.QUEUE_TTL]
    left = made.rest if made.has_more else []
    await rests.note_pressed(tx, conversation_id, outputs=left, event=event, answer=answer, keep_until=until)
    emit("relay.rest.shown", conversation=conversation_id)
    return answer
