"""A delivery in the columns and words of the seed's kb_schedule_logs."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pabal.apps.messaging.model.content import Content, Picture
from pabal.apps.messaging.model.deliveries import Delivery, DeliveryPart, PartState
from pabal.apps.messaging.model.seed import as_seed

DUE = datetime(2026, 7, 3, 1, tzinfo=UTC)
PICTURE = Picture(7, "봄.png", "image/png", 77, 8, 6)


def part(no: int, component: str, state: PartState, *, images: tuple[int, int] = (0, 0)) -> DeliveryPart:
    written_at = DUE + timedelta(seconds=no) if state is PartState.WRITTEN else None
    return DeliveryPart(5, no, component, *images, state, 1, DUE, written_at, 0)


SENT = Delivery(
    id=5,
    unit_id=4,
    state="sent",
    version=2,
    schedule_id=12,
    schedule_title="아침 인사",
    room_id=1,
    room_name="손님방",
    channel_id="18200001",
    bot_id=1,
    bot_name="busan1",
    scheduled_at=DUE,
    cause="schedule",
    asked_by=None,
    is_catch_up=True,
    job_id=9,
    attempts=1,
    content=Content(text="안녕", images_1=(PICTURE, replace(PICTURE, file_id=8))),
    image_mode="single",
    template_id=None,
    started_at=DUE + timedelta(seconds=1),
    ended_at=DUE + timedelta(seconds=4),
    duration_ms=3000,
    reason=None,
    detail={},
    deferred_by=None,
    deferred_until=None,
    created_at=DUE,
    parts=(
        part(0, "text", PartState.WRITTEN),
        part(1, "images_1", PartState.WRITTEN, images=(0, 1)),
        part(2, "images_1", PartState.WRITTEN, images=(1, 2)),
    ),
)


@pytest.mark.req("A-67", "A-68", "A-69")
def test_it_says_what_was_really_sent_and_never_the_bytes():
    cut = replace(
        SENT, parts=(part(0, "text", PartState.UNKNOWN), *SENT.parts[1:2], part(2, "images_1", PartState.PLANNED))
    )

    whole, some = as_seed(SENT), as_seed(cut)

    assert whole["target_room_id"] == "18200001"
    assert (whole["sent_message_text"], some["sent_message_text"]) == ("안녕", None)
    assert [image["file_id"] for image in whole["sent_images_1"]] == [7, 8]
    assert some["sent_images_1"] == [
        {"file_id": 7, "name": "봄.png", "media_type": "image/png", "size": 77, "width": 8, "height": 6, "frames": 1}
    ]
    assert whole["sent_images_2"] == []
    assert (whole["send_components"], some["send_components"]) == ("text,images_1", "images_1")


@pytest.mark.req("A-70", "A-71")
@pytest.mark.parametrize(
    ("state", "reason", "status"),
    [
        ("sent", None, "success"),
        ("partial", "deadline", "partial"),
        ("unknown", "bot_gone", "partial"),
        ("failed", "bot_not_in_room", "failed"),
        ("missed", "bot_offline", "failed"),
    ],
)
def test_each_end_is_one_of_the_seeds_three_with_its_reason_in_words(state: str, reason: str | None, status: str):
    row = as_seed(replace(SENT, state=state, reason=reason))

    assert (row["status"], row["outcome"]) == (status, state)
    assert (row["error_message"] is None) == (state == "sent")
    if reason is not None:
        assert reason in row["error_message"]


@pytest.mark.req("A-72", "A-73", "A-74", "A-130")
def test_it_says_when_and_how_it_went():
    tried = {"errors": [{"at": DUE.isoformat(), "attempt": 1, "reason": "deadline", "error": "longer than 5 minutes"}]}
    row = as_seed(replace(SENT, detail=tried))
    missed = as_seed(replace(SENT, state="missed", started_at=None, duration_ms=None, parts=()))

    assert (row["id"], row["schedule_id"]) == (5, 12)
    assert (row["scheduled_at"], row["started_at"], row["completed_at"]) == (DUE, SENT.started_at, SENT.ended_at)
    assert (row["duration_ms"], row["created_at"], row["is_catch_up"]) == (3000, DUE, True)
    assert [each["state"] for each in row["api_response"]["parts"]] == ["written"] * 3
    assert row["api_response"]["errors"][0]["error"] == "longer than 5 minutes"
    assert row["lock"] == "schedule_lock_12"
    assert missed["started_at"] is not None, "the seed's column is never empty"
