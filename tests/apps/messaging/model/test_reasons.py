"""Why a delivery is where it is: every state and place has its sentence in both languages."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from pabal.apps.messaging.jobs.sending import CODES
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import Delivery, DeliveryPart, PartState
from pabal.apps.messaging.model.reasons import LIMITS, REASONS, explain, explain_state, name_limit, name_reason
from pabal.apps.messaging.model.rooms import RoomLimits
from pabal.platform.language.pairs import put

AT = datetime(2026, 7, 3, tzinfo=UTC)
BASE = Delivery(
    id=1,
    unit_id=1,
    state="open",
    version=1,
    schedule_id=1,
    schedule_title="아침",
    room_id=1,
    room_name="방",
    channel_id="1",
    bot_id=1,
    bot_name="busan1",
    scheduled_at=AT,
    cause="schedule",
    asked_by=None,
    is_catch_up=False,
    job_id=None,
    attempts=2,
    content=Content(text="글"),
    image_mode="single",
    template_id=None,
    started_at=None,
    ended_at=None,
    duration_ms=None,
    reason=None,
    detail={},
    deferred_by=None,
    deferred_until=None,
    created_at=AT,
)


def parts(*states: str) -> tuple[DeliveryPart, ...]:
    """A text, then images of the first group."""
    return tuple(
        DeliveryPart(1, no, "images_1" if no else "text", max(no - 1, 0), no, PartState(state), None, None, None, 0)
        for no, state in enumerate(states)
    )


def say(delivery: Delivery) -> tuple[str, str]:
    def fill(value: Any, index: int) -> Any:
        return value[index] if isinstance(value, tuple) else value.isoformat() if isinstance(value, datetime) else value

    told = explain(delivery)
    english = [put("en", one.pair, **{name: fill(value, 0) for name, value in one.values.items()}) for one in told]
    korean = [put("ko", one.pair, **{name: fill(value, 1) for name, value in one.values.items()}) for one in told]
    return " ".join(english), " ".join(korean)


@pytest.mark.parametrize(
    ("changed", "english", "korean"),
    [
        ({"place": "waiting_for_bot"}, "Bot ‘busan1’ is not connected.", "봇 ‘busan1’이(가) 연결되어 있지 않습니다."),
        ({"place": "queued"}, "It waits for its turn", "차례를 기다립니다."),
        (
            {"place": "deferred", "deferred_by": "min_gap_seconds", "deferred_until": AT},
            "Put off until 2026-07-03T00:00:00+00:00: least gap between sends.",
            "발송 사이 최소 간격 제한으로",
        ),
        ({"place": "retrying"}, "Attempt 2 did not go through.", "2번째 시도가 실패해"),
        ({"place": "sending", "parts": parts("written", "planned")}, "1 of 2 parts are out.", "2개 중 1개"),
        ({"state": "sent"}, "", ""),
        ({"state": "sent", "is_catch_up": True}, "Sent late, as a catch-up.", "따라잡아"),
        (
            {"state": "partial", "reason": "bot_gone", "parts": parts("written", "written", "written", "planned")},
            "Sent: text, images 1 2/3. It stopped at picture 3 of images 1.",
            "보낸 것: 글, 그림 1 2/3. 그림 1의 3번째 장에서 멈췄습니다.",
        ),
        ({"state": "failed", "reason": "deadline", "parts": parts("planned")}, "It stopped at the text.", "글에서 멈"),
        (
            {"state": "unknown", "parts": parts("written", "unknown")},
            "Nobody knows whether picture 1 of images 1 arrived.",
            "도착했는지 알 수 없습니다.",
        ),
        (
            {"state": "missed", "reason": "messages_per_hour", "deferred_by": "messages_per_hour"},
            "The room's limit let nothing through in time: messages in an hour.",
            "톡방 제한 때문에 제때 보내지 못했습니다: 1시간 메시지.",
        ),
        ({"state": "missed", "reason": "misfired", "detail": {"count": 3}}, "3 moments were missed.", "이어진 3번"),
        ({"state": "missed"}, "It was not sent in time.", "제때 보내지 못했습니다."),
        # what others wrote may hold braces and signs of a pattern
        ({"state": "failed", "reason": "{x}|y"}, "(x)|y", "(x)|y"),
    ],
)
def test_every_state_and_place_is_explained(changed: dict[str, Any], english: str, korean: str) -> None:
    said = say(replace(BASE, **changed))

    assert english in said[0]
    assert korean in said[1]
    assert bool(said[0]) == bool(english)


def test_every_code_sending_can_end_with_has_a_sentence_that_names_the_bot_or_none() -> None:
    assert set(CODES) <= set(REASONS)
    for code in REASONS:
        for text in (*name_reason(code), *explain_state("failed", code, bot="busan1")):
            assert text
            assert "{bot}" not in text


def test_every_limit_of_a_room_has_its_words_and_an_unknown_one_shows_its_name() -> None:
    assert list(LIMITS) == list(RoomLimits.__dataclass_fields__)
    assert name_limit("room:7 something") == ("room:7 something", "room:7 something")
    assert name_limit(None) == ("", "")
