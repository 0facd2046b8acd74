"""The simulator: chat as a KakaoTalk user of the demo, with real requests to this very server."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form
from fastapi.responses import Response

from pabal.apps.relay.actions import replaying
from pabal.apps.relay.demo.chat import DemoChannel, find_channel
from pabal.apps.relay.demo.filling import CHANNEL, USERS
from pabal.apps.relay.errors import ConversationNotFound, NoSimulator
from pabal.apps.relay.model.messages import AREA
from pabal.apps.relay.pages.page_texts import TOPICS, Typed, list_choices
from pabal.apps.relay.simulator.kakao import ShownBubble
from pabal.apps.relay.store import conversations, messages
from pabal.base.database import Tx
from pabal.platform.actor import Right
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word
from pabal.platform.web.visit import Visit

router = APIRouter(include_in_schema=False)
SIMULATOR = "/relay/simulator"
LONGEST = 1000
MOST_SAID = 10


@dataclass(frozen=True, slots=True)
class ChatBubble:
    """`is_mine`: the user's own. `is_waiting`: Kakao shows that an answer is on its way."""

    text: str
    at: datetime
    is_mine: bool
    is_waiting: bool = False


@router.get(SIMULATOR)
async def show(visit: Visitor, user: Word = "") -> Response:
    visit.actor.require(Right.READ, AREA)
    channel, chosen = _find(visit), user if user in USERS else next(iter(USERS))
    async with visit.read() as tx:
        said = await _list_said(tx, visit, chosen)
        accounts = await list_choices(tx, visit, only_enabled=True)
    return await visit.show(
        "relay/simulator.html",
        users=USERS,
        chosen=chosen,
        bubbles=_bubbles(channel, chosen),
        buttons=_buttons(channel, chosen),
        said=said,
        accounts=accounts,
        live_topics=TOPICS,
        longest=LONGEST,
    )


@router.post(SIMULATOR)
async def say(
    visit: Visitor, user: Annotated[Typed, Form()], text: Annotated[Typed, Form(max_length=LONGEST)]
) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    channel = _find(visit)
    if text.strip():
        await channel.say(user, text)
    return visit.go(f"{SIMULATOR}?user={user}#chat")


@router.post(f"{SIMULATOR}/replay")
async def replay(visit: Visitor, message: Annotated[UUID, Form()], account_id: Annotated[UUID, Form()]) -> Response:
    """To its trace: there the answer shows up, and nowhere else."""
    _find(visit)
    async with visit.change() as tx:
        made = await replaying.replay(tx, visit.actor, message, account_id=account_id)
    return visit.go(f"/relay/messages/{made.uid}")


async def _list_said(tx: Tx, visit: Visit, user: str) -> list[tuple[str, str]]:
    """What this user said last, newest first; nothing where it is not in the visitor's sight."""
    try:
        talk = await conversations.name_conversation(tx, visit.scope, f"{CHANNEL}:{user}")
    except ConversationNotFound:
        return []
    found = (await messages.list_messages(tx, visit.scope, conversation_id=talk.id, limit=MOST_SAID)).items
    return [(str(one.uid), one.text) for one in found if one.text.strip()]


def _buttons(channel: DemoChannel, user: str) -> list[str]:
    """What the last answer offers to say next."""
    return [one["messageText"] for one in channel.read_quick_replies(user) if one.get("messageText")]


def _find(visit: Visit) -> DemoChannel:
    found = find_channel(visit.services) if visit.site.is_demo else None
    if found is None:
        raise NoSimulator
    return found


def _bubbles(channel: DemoChannel, user: str) -> list[ChatBubble]:
    made: list[ChatBubble] = []
    for one in channel.read(user):
        if isinstance(one, ShownBubble):
            made = [each for each in made if not each.is_waiting]
            made.append(ChatBubble(one.text, one.at, is_mine=False))
        else:
            made.append(ChatBubble(one.text, one.at, is_mine=True))
            if one.uses_callback:
                made.append(ChatBubble(one.waiting_text or "…", one.at, is_mine=False, is_waiting=True))
    return made
