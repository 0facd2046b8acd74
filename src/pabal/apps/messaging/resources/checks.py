"""What would come of a schedule, and what its verbs answer: next moments, bubbles, the room's budget."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from pabal.apps.messaging.model.bulks import RoomText
from pabal.apps.messaging.model.capacity import Estimate
from pabal.apps.messaging.model.content import Part
from pabal.apps.messaging.model.reasons import COMPONENTS
from pabal.apps.messaging.model.rooms import Budget, Room
from pabal.apps.messaging.model.upcoming import UpcomingSend
from pabal.apps.messaging.resources.images import ImageView, text_field, view_image
from pabal.apps.messaging.resources.rooms import BudgetView, view_budget
from pabal.platform.findings import Finding, FindingView, view_finding
from pabal.platform.language.pairs import Lang, put
from pabal.platform.resources import ROW_ID, Ask, View, ask, field


class MomentView(View):
    """A moment ahead. `excluded` says why it is not sent; `reasons` are sentences about it."""

    at: datetime = field(("At", "시각"))
    excluded: str | None = field(("Left out", "제외"), example=None)
    deferred_until: datetime | None = field(("Put off until", "미룬 때"))
    reasons: list[str] = field(("Why", "이유"), example=[])


class BubbleView(View):
    """One bubble in KakaoTalk, made by the code that sends. `wait_ms` passes before it."""

    no: int = field(("No.", "번호"), example=0)
    component: str = field(("Component", "부분"), words=COMPONENTS, example="text")
    at: datetime = field(("At", "시각"))
    wait_ms: int = field(("Wait (ms)", "기다림(ms)"), example=0)
    media_wait: int = field(("Bot waits (ms)", "봇 대기(ms)"), example=0)
    text: str | None = text_field()
    is_folded: bool = field(("Folded", "접힘"), example=False)
    images: list[ImageView] = field(("Images", "그림"))


class EstimateView(View):
    """How long the bots need for many rooms, from what they were seen to take; `late` would miss the window."""

    rooms: int = field(("Rooms", "톡방 수"), example=150)
    bots: int = field(("Phones", "전화기 수"), example=1)
    seconds: float = field(("Seconds", "초"), example=600)
    window_seconds: float = field(("Window (s)", "발송 시간(초)"), example=300)
    late: int = field(("Too late", "못 보냄"), example=70)
    says: str = field(("In words", "설명"), example="150 rooms by 1 phone: about 10 minutes")


class RoomTextView(View):
    """What one of many rooms reads."""

    room_id: int = field(("Room no.", "톡방 번호"), example=3)
    room_name: str = field(("Room", "톡방"), example="해운대 손님방")
    text: str | None = text_field()


class CheckView(View):
    """With `problems` it cannot be saved; `warnings` are worth knowing."""

    is_ok: bool = field(("Can be saved", "저장 가능"), example=True)
    problems: list[FindingView] = field(("Problems", "문제"), example=[])
    warnings: list[FindingView] = field(("Warnings", "경고"))
    upcoming: list[MomentView] = field(("Next", "다음 발송"))
    bubbles: list[BubbleView] = field(("Bubbles", "말풍선"))
    budget: BudgetView | None = field(("Limits", "제한"))
    estimate: EstimateView | None = field(("Time needed", "걸리는 시간"))
    texts: list[RoomTextView] = field(("By room", "톡방별 글"), example=[])


class PreviewView(View):
    """How a schedule that is there will look, and when."""

    id: int = field(("No.", "번호"))
    bubbles: list[BubbleView] = field(("Bubbles", "말풍선"))
    upcoming: list[MomentView] = field(("Next", "다음 발송"))


class NextSendView(View):
    """A moment ahead. `excluded` says why it will not be sent, `note` what daylight saving did to it."""

    at: datetime = field(("At", "시각"))
    wall: str = field(
        ("On its clock", "현지 시각"), description="On the clock of the schedule's zone.", example="2026-07-03T09:00:00"
    )
    excluded: str | None = field(("Left out", "제외"), example=None)
    note: str | None = field(("Note", "메모"), example=None)


class SkippedView(View):
    at: datetime = field(("At", "시각"))


class SkippedScheduleView(SkippedView):
    """For people: the schedule beside the moment."""

    id: int = field(("No.", "번호"))
    state: str = field(("State", "상태"), status="message_schedule")
    title: str = field(("Title", "제목"))
    next_send_at: datetime | None = field(("Next", "다음 발송"))


class SentNowView(View):
    """The job that sends it: /api/v1/jobs/{job} says where it is."""

    job: str = field(("Job", "작업"), example="job_01h2xcejqtf2n")


class SentScheduleView(SentNowView):
    """For people: what is sent where beside the job."""

    title: str = field(("Schedule", "스케줄"))
    room_name: str = field(("Room", "톡방"))
    bot_name: str = field(("Bot", "봇"))


class SkipSend(Ask):
    """Without a moment, the next one that would be sent."""

    at: datetime | None = ask("The moment.", example="2026-07-03T00:00:00Z", default=None)


class KeepSend(Ask):
    at: datetime = ask("The moment that was skipped.")


class TestSend(Ask):
    """A room of type test that you see."""

    room_id: int = ask("The test room.", rules=ROW_ID, example=4)


class Checked(Protocol):
    """What checking a schedule found: see actions/checking.py."""

    @property
    def problems(self) -> tuple[Finding, ...]: ...
    @property
    def warnings(self) -> tuple[Finding, ...]: ...
    @property
    def upcoming(self) -> tuple[UpcomingSend, ...]: ...
    @property
    def budget(self) -> Budget | None: ...
    @property
    def room(self) -> Room | None: ...
    @property
    def estimate(self) -> Estimate | None: ...
    @property
    def texts(self) -> tuple[RoomText, ...]: ...


def view_check(checked: Checked, bubbles: Sequence[BubbleView], lang: Lang) -> CheckView:
    return CheckView(
        is_ok=not checked.problems,
        problems=[view_finding(one, lang) for one in checked.problems],
        warnings=[view_finding(one, lang) for one in checked.warnings],
        upcoming=[view_moment(one, lang) for one in checked.upcoming],
        bubbles=list(bubbles),
        budget=None if checked.budget is None else view_budget(checked.budget, checked.room),
        estimate=None if checked.estimate is None else _view_estimate(checked.estimate, lang),
        texts=[RoomTextView.of(one) for one in checked.texts],
    )


def _view_estimate(one: Estimate, lang: Lang) -> EstimateView:
    seconds = {"seconds": one.takes.total_seconds(), "window_seconds": one.window.total_seconds()}
    return EstimateView.of(one, **seconds, says=put(lang, one.says))


def view_moment(one: UpcomingSend, lang: Lang) -> MomentView:
    return MomentView.of(one, at=one.moment, reasons=[put(lang, reason) for reason in one.reasons])


def view_bubbles(parts: Sequence[Part], at: datetime, fold: int) -> list[BubbleView]:
    """A phone takes its own time for an image; what is shown is when each is handed over."""
    shown: list[BubbleView] = []
    for part in parts:
        at += timedelta(milliseconds=part.wait_ms)
        images = [view_image(one) for one in part.pictures]
        shown.append(BubbleView.of(part, at=at, is_folded=len(part.text or "") > fold, images=images))
    return shown
