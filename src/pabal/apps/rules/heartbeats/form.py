"""The form of a heartbeat: every field as it was typed, what is wrong with it, and what it means."""

from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict

from pabal.apps.rules.heartbeats.model import (
    DEFAULT_GRACE,
    LONGEST_EVERY,
    LONGEST_GRACE,
    LONGEST_NAME,
    SHORTEST,
    Heartbeat,
)
from pabal.base.settings import BadDuration, parse_duration, show_duration
from pabal.platform.findings import Finding
from pabal.platform.language.pairs import Pair
from pabal.platform.web.lists import clean

Typed = Annotated[str, AfterValidator(clean)]
BY_CRON, BY_INTERVAL = "cron", "every"
NAME_LENGTH: Pair = ("A name has 1 to 100 characters.", "이름은 1~100자로 적어 주세요.")
NO_CRON: Pair = (
    "Write a cron expression of five fields, such as 0 3 * * *.",
    "0 3 * * *처럼 다섯 칸의 cron 식을 적어 주세요.",
)
NO_EVERY: Pair = (
    "Write a time from 1m to 365d, such as 5m, 24h or 7d.",
    "5m, 24h, 7d처럼 1m부터 365d까지 적어 주세요.",
)
NO_GRACE: Pair = ("Write a time from 1m to 30d, such as 10m or 2h.", "10m, 2h처럼 1m부터 30d까지 적어 주세요.")


class HeartbeatDraft(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: Typed = ""
    schedule: Typed = BY_CRON
    cron: Typed = "0 3 * * *"
    every: Typed = "24h"
    zone: Typed = "Asia/Seoul"
    grace: Typed = show_duration(DEFAULT_GRACE)
    unit_id: Typed = ""


def draft_of(one: Heartbeat) -> HeartbeatDraft:
    every = one.plan.every
    return HeartbeatDraft(
        name=one.name,
        schedule=BY_CRON if every is None else BY_INTERVAL,
        cron=one.cron or "0 3 * * *",
        every="24h" if every is None else show_duration(every),
        zone=one.zone,
        grace=show_duration(one.grace),
        unit_id=str(one.unit_id),
    )


def check_draft(draft: HeartbeatDraft) -> list[Finding]:
    """What a schedule cannot be is said by the recurrence itself."""
    faults = []
    if not 1 <= len(draft.name) <= LONGEST_NAME:
        faults.append(Finding("bad_heartbeat", "name", NAME_LENGTH))
    if draft.schedule == BY_INTERVAL and _span(draft.every, LONGEST_EVERY) is None:
        faults.append(Finding("bad_heartbeat", "every", NO_EVERY))
    if draft.schedule != BY_INTERVAL and not draft.cron:
        faults.append(Finding("bad_heartbeat", "cron", NO_CRON))
    if _span(draft.grace, LONGEST_GRACE) is None:
        faults.append(Finding("bad_heartbeat", "grace", NO_GRACE))
    return faults


def read_draft(draft: HeartbeatDraft) -> dict[str, Any]:
    """What the actions take, of a draft without faults."""
    by_interval = draft.schedule == BY_INTERVAL
    return {
        "name": draft.name,
        "cron": None if by_interval else draft.cron,
        "every": _span(draft.every, LONGEST_EVERY) if by_interval else None,
        "zone": draft.zone,
        "grace": _span(draft.grace, LONGEST_GRACE),
    }


def _span(text: str, longest: timedelta) -> timedelta | None:
    """To the second, as it is kept."""
    try:
        span = parse_duration(text)
    except BadDuration:
        return None
    return span if SHORTEST <= span <= longest and not span.microseconds else None
