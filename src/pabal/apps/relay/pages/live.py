"""Live: the messages of the last quarter of an hour, those that wait first, each with the time it has left."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.relay.labels import ENDS
from pabal.apps.relay.model.messages import AREA, MessageState, ReplyState
from pabal.apps.relay.pages.page_texts import LIVE, TOPICS, list_choices, read_uuid, short_key, show_seconds
from pabal.apps.relay.store import live
from pabal.apps.relay.store.live import RecentMessage
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word
from pabal.platform.web.visit import Visit

router = APIRouter(include_in_schema=False)
WINDOW = timedelta(minutes=15)
FAILED_WITHIN = timedelta(hours=1)
MOST = 100


class Filters(BaseModel):
    state: Word = ""
    account: Word = ""

    @property
    def is_set(self) -> bool:
        return bool(self.state or self.account)

    @property
    def states(self) -> list[str] | None:
        return [self.state] if self.state in set(MessageState) else None


@dataclass(frozen=True, slots=True)
class Row:
    """`left` is how many seconds an answer has; None once it has ended or an answer is on its way."""

    message: RecentMessage
    user: str
    says: str
    left: int | None


@router.get(LIVE)
async def show(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        since, account_id = tx.now - WINDOW, read_uuid(filters.account)
        found = await live.list_recent(
            tx, visit.scope, since=since, states=filters.states, account_id=account_id, most=MOST
        )
        figures = await live.read_figures(tx, visit.scope, since=since, failed_since=tx.now - FAILED_WITHIN)
        accounts = await list_choices(tx, visit)
    return await visit.show(
        "relay/live.html",
        rows=[show_row(visit, one) for one in found],
        left_out=found[0].total - len(found) if found else 0,
        figures=figures,
        filters=filters,
        accounts=accounts,
        live_topics=TOPICS,
    )


def show_row(visit: Visit, one: RecentMessage) -> Row:
    waits = one.is_open and one.answered_at is None
    left = max(0, round((one.answer_by - visit.now).total_seconds())) if waits else None
    return Row(one, short_key(one.conversation_key), _describe(visit, one, visit.now), left)


def _describe(visit: Visit, one: RecentMessage, now: datetime) -> str:
    """Where it is, or how it ended, in a sentence."""
    if one.is_open and one.answered_at is not None:
        return visit.say("answered, on its way to Kakao", "답을 받아 카카오에 보내는 중")
    if one.is_open and (one.state is MessageState.QUEUED or one.delivered_at is None):
        return visit.say("waits to be fetched", "가져가기를 기다림")
    if one.is_open and one.delivered_at is not None:
        since = show_seconds(visit, now - one.delivered_at)
        said = ("handed out {since} ago, no answer yet", "{since} 전 전달, 아직 답 없음")
        if one.handed_out > 1:
            said = (
                "first handed out {since} ago, {n} times in all, no answer yet",
                "{since} 전 전달, {n}번 전달했지만 답 없음",
            )
        return visit.say(*said, since=since, n=one.handed_out)
    return _describe_end(visit, one)


# answers that came too late for their own message
_LATE: dict[ReplyState, Pair] = {
    ReplyState.DEFERRED: (
        "answered after {took}; goes out with the next message",
        "{took} 만에 답이 와서 다음 메시지를 기다림",
    ),
    ReplyState.CARRIED: (
        "answered after {took}; on its way with the next message",
        "{took} 만에 답이 와서 다음 메시지와 함께 보내는 중",
    ),
    ReplyState.SENT: (
        "answered after {took}; delivered with the next message",
        "{took} 만에 답이 와서 다음 메시지와 함께 전달",
    ),
}


def _describe_end(visit: Visit, one: RecentMessage) -> str:
    if one.state is MessageState.ACKED and one.acked_at is not None:
        took = show_seconds(visit, one.acked_at - one.created_at)
        return visit.say("answered in {took}", "{took} 만에 응답", took=took)
    if one.is_late and one.replied_at is not None:
        took = show_seconds(visit, one.replied_at - one.created_at)
        said = ("answered after {took}; goes out with the next message", "{took} 만에 답이 와서 다음 메시지를 기다림")
        return visit.say(*said, took=took)
    why = visit.say(*ENDS[one.end_reason]) if one.end_reason is not None else ""
    if one.reply_state is ReplyState.DEFERRED:
        why += visit.say(" Its answer goes out with the next message.", " 답은 다음 메시지와 함께 보냅니다.")
    return why
