"""What would come of a schedule: what refuses it, what to know, the next moments, the bubbles, the room's budget."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from pydantic import Field

from pabal.apps.messaging import settings
from pabal.apps.messaging.actions import checking
from pabal.apps.messaging.api.fields import ImageShown, show_image
from pabal.apps.messaging.api.parts import Shown, name_faults
from pabal.apps.messaging.model.content import Part
from pabal.apps.messaging.model.rooms import Budget
from pabal.apps.messaging.model.schedules import NewSchedule
from pabal.apps.messaging.model.upcoming import UpcomingSend
from pabal.base.database import Tx
from pabal.platform.language.pairs import Lang, put
from pabal.platform.settings import values
from pabal.platform.web.identify import guess_language
from pabal.platform.web.problems import Fault
from pabal.platform.web.visit import Visit


class FindingShown(Shown):
    """`pointer` is the field it is about; `code` is stable, the sentence follows Accept-Language."""

    pointer: str = Field(examples=["/schedule_time"])
    code: str = Field(examples=["room_busy"])
    detail: str = Field(examples=["'점심 공지' sends to this room at 09:00. This one goes out 30 s later."])


class MomentShown(Shown):
    """A moment ahead. `excluded` says why it is not sent; `reasons` are sentences about it."""

    at: datetime
    excluded: str | None = Field(examples=[None])
    deferred_until: datetime | None
    reasons: list[str] = Field(examples=[[]])


class BubbleShown(Shown):
    """One bubble in KakaoTalk, made by the code that sends. `wait_ms` passes before it."""

    no: int = Field(examples=[0])
    component: str = Field(examples=["text"])
    at: datetime
    wait_ms: int = Field(examples=[0])
    media_wait: int = Field(examples=[0])
    text: str | None = Field(examples=["오늘도 좋은 하루 되세요"])
    is_folded: bool = Field(examples=[False])
    images: list[ImageShown]


class BudgetRowShown(Shown):
    """One limit: how much of it is used, and when there is room again."""

    name: str = Field(examples=["min_gap_seconds"])
    used: int = Field(examples=[1])
    most: int = Field(examples=[1])
    seconds: float = Field(description="The span it counts.", examples=[30])
    next_allowed_at: datetime | None


class BudgetShown(Shown):
    """`binds` is the limit that lets go last; null: a send may begin now."""

    rows: list[BudgetRowShown]
    binds: str | None = Field(examples=["min_gap_seconds"])
    next_allowed_at: datetime | None


class CheckShown(Shown):
    """With `problems` it cannot be saved; `warnings` are worth knowing."""

    is_ok: bool = Field(examples=[True])
    problems: list[FindingShown] = Field(examples=[[]])
    warnings: list[FindingShown]
    upcoming: list[MomentShown]
    bubbles: list[BubbleShown]
    budget: BudgetShown | None


async def check(
    tx: Tx, visit: Visit, new: NewSchedule, names: Mapping[str, str], *, schedule_id: int | None = None
) -> CheckShown:
    """As saving it would. Nothing is saved."""
    checked = await checking.check(tx, visit.actor, new, schedule_id=schedule_id)
    lang = guess_language(visit.request)
    at = next((one.moment for one in checked.upcoming if one.is_sent), tx.now)
    return CheckShown(
        is_ok=not checked.problems,
        problems=_faults(name_faults(checked.problems, names, lang)),
        warnings=_faults(name_faults(checked.warnings, names, lang)),
        upcoming=[_moment(one, lang) for one in checked.upcoming],
        bubbles=await _bubbles(tx, checked.parts, at),
        budget=None if checked.budget is None else show_budget(checked.budget),
    )


def show_budget(budget: Budget) -> BudgetShown:
    rows = [
        BudgetRowShown(
            name=row.name,
            used=row.used,
            most=row.most,
            seconds=row.span.total_seconds(),
            next_allowed_at=row.next_allowed_at,
        )
        for row in budget.rows
    ]
    return BudgetShown(rows=rows, binds=budget.binds, next_allowed_at=budget.next_allowed_at)


async def _bubbles(tx: Tx, parts: Sequence[Part], at: datetime) -> list[BubbleShown]:
    """A phone takes its own time for an image; what is shown is when each is handed over."""
    fold = (await values(tx, (settings.FOLD_LENGTH,)))[settings.FOLD_LENGTH]
    shown: list[BubbleShown] = []
    for part in parts:
        at += timedelta(milliseconds=part.wait_ms)
        shown.append(_bubble(part, at, is_folded=len(part.text or "") > fold))
    return shown


def _faults(faults: list[Fault]) -> list[FindingShown]:
    return [FindingShown(pointer=one.pointer, code=one.code, detail=one.detail) for one in faults]


def _moment(one: UpcomingSend, lang: Lang) -> MomentShown:
    reasons = [put(lang, reason) for reason in one.reasons]
    return MomentShown(at=one.moment, excluded=one.excluded, deferred_until=one.deferred_until, reasons=reasons)


def _bubble(part: Part, at: datetime, *, is_folded: bool) -> BubbleShown:
    return BubbleShown(
        no=part.no,
        component=part.component,
        at=at,
        wait_ms=part.wait_ms,
        media_wait=part.media_wait,
        text=part.text,
        is_folded=is_folded,
        images=[show_image(one) for one in part.pictures],
    )
