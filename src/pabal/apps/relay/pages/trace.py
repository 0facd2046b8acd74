"""One message: what happened to it and when, what was said, why it ended as it did and what to do about it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form
from fastapi.responses import Response

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import replaying
from pabal.apps.relay.actions.answers import lang_of, read_answers
from pabal.apps.relay.labels import ENDS
from pabal.apps.relay.machine import MESSAGE, MessageEvent
from pabal.apps.relay.model import outputs
from pabal.apps.relay.model.letters import hide_callback
from pabal.apps.relay.model.messages import AREA, End, Message, MessageState, Reply, ReplyState
from pabal.apps.relay.model.skill import answer_with
from pabal.apps.relay.pages.page_texts import ADVICE, TOPICS, list_choices, short_key, show_seconds
from pabal.apps.relay.store import live, messages, replies, rests
from pabal.base.database import Tx
from pabal.engine.transitions import BEGIN, Transition, history
from pabal.platform import settings
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.web.actors import name_actors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import read_number
from pabal.platform.web.visit import Visit

router = APIRouter(include_in_schema=False)
NOTICEABLE = timedelta(milliseconds=50)
HANDED: dict[str, Pair] = {
    MessageEvent.HAND_OUT: ("The instance fetched it", "인스턴스가 가져감"),
    MessageEvent.REPEAT: ("Handed out again: no answer until then", "답이 없어 다시 전달"),
}
LATE: Pair = (
    "Too late for Kakao: kept for the user's next message.",
    "콜백 시간이 지나 사용자의 다음 메시지까지 보관합니다.",
)
LATE_REPLAY: Pair = ("A user would not have got it in time.", "실제 사용자였다면 제때 받지 못했을 답입니다.")
LOOKS = {MessageState.ACKED: "good", MessageState.EXPIRED: "fail", MessageState.FAILED: "fail"}
# of an answer, once it is decided
REPLY_ENDS: dict[ReplyState, Pair] = {
    ReplyState.EXPIRED: ("The late answer was dropped", "늦은 답을 보내지 않고 버림"),
    ReplyState.FAILED: ("The answer could not be delivered", "답을 전달하지 못함"),
    ReplyState.UNKNOWN: ("Nobody knows whether the answer arrived", "답이 도착했는지 알 수 없음"),
}


@dataclass(frozen=True, slots=True)
class TraceStep:
    """`took` is the time since the step before."""

    at: datetime
    text: str
    look: str = ""
    note: str = ""
    took: str = ""
    is_now: bool = False
    is_future: bool = False


@dataclass(frozen=True, slots=True)
class ShownReply:
    reply: Reply
    texts: list[str]
    body: str


@router.get("/relay/messages/{name}")
async def show(visit: Visitor, name: str) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        message = await _find(tx, visit, name)
        made = await history(tx, MESSAGE, message.id)
        said = await replies.list_replies(tx, message.id)
        sent = await _read_sent(tx, message, said)
        kept = await rests.count_kept(tx, message.id)
        names = await name_actors(tx, visit, (one.actor for one in made))
        accounts = await list_choices(tx, visit, only_enabled=True)
    return await visit.show(
        "relay/trace.html",
        message=message,
        user=short_key(message.conversation_key),
        steps=list(_time(visit, [*_list_steps(visit, message, made, said, names), *_list_coming(visit, message)])),
        kept=kept,
        accounts=accounts,
        replies=[_show_reply(one) for one in said],
        payload=_show_body(hide_callback(message.kakao_payload)),
        sent="" if sent is None else _show_body(sent),
        end=ENDS[message.end_reason] if message.end_reason else None,
        advice=ADVICE.get(message.end_reason) if message.end_reason else None,
        live_topics=TOPICS,
    )


@router.post("/relay/messages/{name}/replay")
async def replay(visit: Visitor, name: str, account_id: Annotated[UUID, Form()]) -> Response:
    """To the trace of the replay, where its answer shows up."""
    visit.actor.require(Right.WRITE, AREA)
    async with visit.change() as tx:
        original = await _find(tx, visit, name)
        made = await replaying.replay(tx, visit.actor, original.uid, account_id=account_id)
    said = (
        "Replayed to {account}. Its answer shows up here.",
        "{account} 계정에 재실행했습니다. 답은 여기에 나타납니다.",
    )
    return visit.go(f"/relay/messages/{made.uid}", said=said, account=made.account_name)


async def _find(tx: Tx, visit: Visit, name: str) -> Message:
    number = read_number(name)
    if number is not None:
        return await messages.get_message_by_id(tx, visit.scope, number)
    return await messages.name_message(tx, visit.scope, name)


async def _read_sent(tx: Tx, message: Message, said: Sequence[Reply]) -> dict[str, Any] | None:
    """What went to Kakao, composed as it was then. None where nothing did, or it is not kept any more."""
    if message.called_at is None or message.end_reason not in (End.CALLED_BACK, End.CALLBACK_UNKNOWN):
        return None
    own_answers = [one for one in said if one.detail == message.end_reason and one.carried_by is None]
    late = read_answers(await live.list_carried(tx, message.id))
    texts = [own.in_language(one, lang_of(message.kakao_payload)) for one in (own.LATE_MARK, own.MORE)]
    mark, more = [await settings.value(tx, one) for one in texts]
    made = outputs.compose(read_answers(own_answers), late, mark=mark, more=more)
    return answer_with(made.outputs, made.quick_replies)


def _list_steps(
    visit: Visit, message: Message, made: Sequence[Transition], said: Sequence[Reply], names: Mapping[str, str]
) -> list[TraceStep]:
    """In the order of their moments; of the same moment in the order of the road."""
    steps = [
        _show_begin(visit, message, made, names),
        TraceStep(
            message.created_at,
            visit.say(
                "Put into the mailbox of {account}", "{account} 계정의 대기열에 넣음", account=message.account_name
            ),
            "good",
        ),
    ]
    steps += [TraceStep(one.at, visit.say(*HANDED[one.event]), "work") for one in made if one.event in HANDED]
    steps += [_show_answer(visit, message, one) for one in said]
    if message.called_at is not None:
        steps.append(TraceStep(message.called_at, visit.say("Sent to Kakao", "카카오에 보냄"), "work"))
    steps += [_show_end(visit, one) for one in made if one.event != BEGIN and one.event not in HANDED]
    steps += [step for one in said if (step := _show_reply_end(visit, message, one)) is not None]
    return sorted(steps, key=lambda step: step.at)


def _show_begin(visit: Visit, message: Message, made: Sequence[Transition], names: Mapping[str, str]) -> TraceStep:
    if message.is_replay:
        who = next((names.get(one.actor, one.actor) for one in made if one.event == BEGIN), "")
        said = visit.say("{who} replayed it", "{who} 님이 재실행", who=who)
        return TraceStep(message.created_at, said, "good", visit.say("No user waits.", "기다리는 사용자는 없습니다."))
    if message.is_question:
        said = visit.say("A workflow asked it", "워크플로우가 질문함")
        return TraceStep(message.created_at, said, "good", visit.say("No user waits.", "기다리는 사용자는 없습니다."))
    life = show_seconds(visit, message.callback_expires_at - message.created_at)
    note = visit.say("Kakao takes an answer for {life}.", "카카오가 답을 {life} 동안 받아 줍니다.", life=life)
    return TraceStep(message.created_at, visit.say("Kakao sent it", "카카오에서 받음"), "good", note)


def _show_answer(visit: Visit, message: Message, reply: Reply) -> TraceStep:
    if reply.received_at <= message.answer_by:
        return TraceStep(reply.received_at, visit.say("The instance answered", "인스턴스가 답함"), "good")
    note = visit.say(*(LATE_REPLAY if message.is_replay else LATE))
    return TraceStep(reply.received_at, visit.say("A late answer came", "늦은 답을 받음"), "attn", note)


def _show_end(visit: Visit, made: Transition) -> TraceStep:
    reason = made.reason if made.reason in set(End) else None
    text = visit.voice.status_word("relay_message", made.target)
    note = visit.say(*ENDS[End(reason)]) if reason else ""
    return TraceStep(
        made.at, visit.say("Ended: {word}", "끝남: {word}", word=text), LOOKS[MessageState(made.target)], note
    )


def _show_reply_end(visit: Visit, message: Message, reply: Reply) -> TraceStep | None:
    """Of an answer that ended apart from its message."""
    if reply.ended_at is None or reply.detail == message.end_reason:
        return None
    note = visit.say(*ENDS[End(reply.detail)]) if reply.detail in set(End) else ""
    if reply.state is ReplyState.SENT:
        said = ("The late answer reached the user", "늦은 답이 사용자에게 전달됨")
        return TraceStep(reply.ended_at, visit.say(*said), "good", note)
    said = REPLY_ENDS.get(reply.state, ("", ""))
    return TraceStep(reply.ended_at, visit.say(*said), "fail", note) if said[0] else None


def _list_coming(visit: Visit, message: Message) -> list[TraceStep]:
    """What is waited for, and what becomes of it when nothing comes."""
    if not message.is_open:
        return []
    if message.answered_at is not None:
        said = visit.say("On its way to Kakao", "카카오에 보내는 중")
        return [TraceStep(visit.now, said, is_now=True)]
    left = show_seconds(visit, message.answer_by - visit.now)
    waits = visit.say("Waiting for the answer", "답을 기다림")
    then = visit.say("Then an answer counts as late", "이때부터 늦은 답으로 처리")
    note = visit.say("It goes out with the user's next message.", "사용자의 다음 메시지와 함께 보냅니다.")
    note = "" if message.is_replay or message.is_question else note
    return [
        TraceStep(visit.now, waits, note=visit.say("{left} left", "{left} 남음", left=left), is_now=True),
        TraceStep(message.answer_by, then, note=note, is_future=True),
    ]


def _time(visit: Visit, steps: Sequence[TraceStep]) -> Iterator[TraceStep]:
    """Each with the time since the one before it."""
    before: datetime | None = None
    for step in steps:
        is_later = before is not None and step.at - before >= NOTICEABLE and not step.is_future
        took = show_seconds(visit, step.at - before) if is_later and before is not None else ""
        yield TraceStep(step.at, step.text, step.look, step.note, took, step.is_now, step.is_future)
        before = step.at


def _show_reply(reply: Reply) -> ShownReply:
    texts = [
        text
        for answer in read_answers([reply])
        for one in answer.outputs
        if (text := one.get("simpleText", {}).get("text"))
    ]
    return ShownReply(reply, texts, _show_body(reply.response))


def _show_body(body: object) -> str:
    return json.dumps(body, ensure_ascii=False, indent=2)
