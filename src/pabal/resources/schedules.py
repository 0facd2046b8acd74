"""Schedules and their occurrences: when what happens, and what was decided about each moment."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pabal.platform.commands.lazily import lazily
from pabal.platform.resources import Ask, Filter, Noun, View, Viewer, ask, field
from pabal.resources.work import show_job

if TYPE_CHECKING:
    from pabal.engine.listing import OccurrenceLine, ScheduleLine
    from pabal.engine.recurrence import Upcoming

with lazily():
    from pabal.engine import recurrence, why

_ROWS, _VERBS = "pabal.resources.rows", "pabal.resources.verbs"
_ANY = "Any of these, separated by commas."
ScheduleState = Literal["active", "paused", "broken", "over"]
OccurrenceState = Literal["enqueued", "skipped", "coalesced", "done", "partial", "failed", "missed", "cancelled"]


class ScheduleView(View):
    """A schedule. `recent` are the states of its last occurrences, the newest first."""

    id: str = field(("ID", "ID"), example="sch_12")
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    name: str = field(("Name", "이름"), example="아침 공지")
    kind: str = field(("Kind", "종류"), example="messaging.send")
    about: str | None = field(("About", "대상"), example="message:7")
    state: str = field(("State", "상태"), status="schedule", example="active")
    says: str = field(("When", "언제"), description="Its rule as a sentence.", example="Every day at 09:00")
    recurrence: dict[str, Any] = field(("Rule", "규칙"), example={"kind": "daily", "at": ["09:00"]})
    timezone: str = field(("Zone", "시간대"), example="Asia/Seoul")
    route: str | None = field(("Route", "경로"), example=None)
    label: str | None = field(("Label", "라벨"), description="What a server must have to run its jobs.", example=None)
    lane: str | None = field(("Lane", "줄"), example=None)
    deadline_seconds: float | None = field(
        ("Deadline (s)", "시도 제한(초)"), description="How long one attempt at its job may take.", example=None
    )
    max_failures: int = field(("Most failures", "최대 실패"), description="Of each of its jobs.", example=5)
    misfire: str = field(("Misfire", "놓쳤을 때"), example="latest")
    overlap: str = field(("Overlap", "겹칠 때"), description="skip, queue, allow or cancel_previous.", example="skip")
    valid_from: datetime | None = field(("From", "시작"))
    valid_until: datetime | None = field(("Until", "끝"))
    next_at: datetime | None = field(("Next", "다음"))
    paused_at: datetime | None = field(("Paused", "멈춘 때"))
    paused_by: str | None = field(("Paused by", "멈춘 사람"), example=None)
    problem: str | None = field(("Problem", "문제"), example=None)
    last_at: datetime | None = field(("Last", "마지막"))
    last_reason: str | None = field(("Last reason", "마지막 이유"), example=None)
    recent: list[str] = field(("Recent", "최근"), example=["done", "done"])
    created_at: datetime = field(("Made", "만든 때"))


class NextView(View):
    """A moment ahead. `excluded` says why it will not fire, `note` what daylight saving did to it."""

    at: datetime = field(("At", "시각"))
    wall: str = field(
        ("Local time", "현지 시각"), description="On the clock of the schedule's zone.", example="2026-07-03T09:00:00"
    )
    excluded: str | None = field(("Why not", "제외 이유"), example=None)
    note: str | None = field(("Note", "비고"), example=None)


class OccurrenceView(View):
    """One moment of a schedule. With `through` it stands for `count` moments up to that one."""

    id: str = field(("ID", "ID"), example="occ_12@2026-07-03T00:00:00Z")
    schedule: str = field(("Schedule", "스케줄"), example="sch_12")
    name: str | None = field(("Name", "이름"), example="아침 공지")
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    kind: str | None = field(("Kind", "종류"), example="messaging.send")
    about: str | None = field(("About", "대상"), example="message:7")
    timezone: str | None = field(("Zone", "시간대"), example="Asia/Seoul")
    fire_at: datetime = field(("At", "시각"))
    state: str = field(("State", "상태"), status="occurrence", example="done")
    decision: str = field(("Decision", "결정"), status="occurrence", example="enqueued")
    reason: str = field(("Reason", "이유"), example="due")
    job: str | None = field(("Job", "작업"), example="job_01h2xcejqtf2n")
    decided_at: datetime = field(("Decided", "정한 때"))
    ended_at: datetime | None = field(("Ended", "끝"))
    into_at: datetime | None = field(("Runs with", "합친 시각"), description="The moment that runs in its place.")
    through: datetime | None = field(("Through", "까지"))
    count: int = field(("Count", "개수"), example=1)
    actor: str | None = field(("By", "한 사람"), example="user:12")


class SkippedOccurrenceView(View):
    """The moment that will not fire."""

    fire_at: datetime = field(("At", "시각"))
    occurrence: str = field(("Occurrence", "발생"), example="occ_12@2026-07-03T00:00:00Z")


class ScheduleFilter(Filter):
    state: tuple[ScheduleState, ...] = ask(_ANY, default=())
    kind: str | None = ask("Only those that enqueue this kind.", example="messaging.send", default=None)
    about: str | None = ask("Only about this subject.", default=None)
    q: str | None = ask("A part of its name.", option="--find", default=None)
    sort: Literal["next_at", "id"] = ask("What fires next first, or by id.", default="next_at")


class OccurrenceFilter(Filter):
    """From and to are of its moment."""

    state: tuple[OccurrenceState, ...] = ask(_ANY, default=())
    schedule: int | None = ask("Of this schedule.", read="pabal.api.parts:ScheduleId", default=None)
    kind: str | None = ask("Only of this kind.", default=None)
    since: datetime | None = ask("Not before this moment.", alias="from", default=None)
    until: datetime | None = ask("Before this moment.", alias="to", default=None)


class ScheduleSkip(Ask):
    """Without a moment, the next one that would fire."""

    fire_at: datetime | None = ask("Which moment.", example="2026-07-03T00:00:00Z", default=None)


class ScheduleKeep(Ask):
    fire_at: datetime = ask("Which moment.")


def view_schedule(line: "ScheduleLine", viewer: Viewer) -> ScheduleView:
    says = "–" if line.timing is None else recurrence.describe(line.timing, viewer.lang)
    deadline = None if line.deadline is None else line.deadline.total_seconds()
    names = {"id": why.show_schedule(line.id), "timezone": line.zone, "says": says, "deadline_seconds": deadline}
    return ScheduleView.of(line, **names)


def view_next(one: "Upcoming") -> NextView:
    return NextView(at=one.moment, wall=one.wall.isoformat(), excluded=one.excluded, note=one.note)


def view_occurrence(line: "OccurrenceLine", viewer: Viewer) -> OccurrenceView:
    return OccurrenceView.of(
        line,
        id=why.show_occurrence(line.schedule_id, line.fire_at),
        schedule=why.show_schedule(line.schedule_id),
        job=show_job(line.work_id),
        timezone=line.zone,
    )


def view_skipped(skipped: tuple[int, datetime], viewer: Viewer) -> SkippedOccurrenceView:
    return SkippedOccurrenceView(fire_at=skipped[1], occurrence=why.show_occurrence(*skipped))


SCHEDULE = Noun(
    "schedule",
    "schedules",
    "schedules",
    ScheduleView,
    view=f"{__name__}:view_schedule",
    find=f"{_ROWS}:get_schedule",
    hold="pabal.engine.schedules:hold",
    named="pabal.cli.finding:find_schedule",
    columns=("id", "name", "state", "next_at", "kind", "says"),
    which="Like sch_12, or just 12.",
    get_help="Shows one schedule.",
    reads_key="pabal.api.parts:ScheduleId",
)
SCHEDULE.lists(
    "list_schedules",
    "Lists schedules: what fires next first, then the paused, then those that are over.",
    f"{_ROWS}:list_schedules",
    columns=("id", "name", "state", "next_at", "kind", "says"),
    empty=("No schedules yet.", "아직 스케줄이 없습니다."),
    wanted=ScheduleFilter,
    command="",
)
SCHEDULE.verb(
    "pause",
    f"{_VERBS}:pause_schedule",
    "Pauses a schedule: nothing more is enqueued; what is enqueued already goes on.",
    needs=("owners", "dry_run"),
)
SCHEDULE.verb(
    "resume",
    f"{_VERBS}:resume_schedule",
    "Resumes a schedule with its next moment; those that passed meanwhile are skipped.",
    needs=("owners", "dry_run"),
)
SCHEDULE.verb(
    "skip",
    f"{_VERBS}:skip_occurrence",
    "Decides in advance that one moment is skipped.",
    ScheduleSkip,
    operation="skip_occurrence",
    needs=("owners",),
    shows=SkippedOccurrenceView,
    view=f"{__name__}:view_skipped",
    in_commands=False,
)
SCHEDULE.verb(
    "keep",
    f"{_VERBS}:keep_occurrence",
    "Takes a skip back while its moment is ahead.",
    ScheduleKeep,
    operation="keep_occurrence",
    needs=("owners",),
    answers_nothing=True,
    in_commands=False,
)
SCHEDULE.verb(
    "trigger",
    f"{_VERBS}:trigger_schedule",
    "Triggers one more occurrence now. Needs an Idempotency-Key.",
    path="/schedules/{id}/send-now",
    status=202,
    needs=("owners",),
    key_required=True,
    shows=OccurrenceView,
    view=f"{__name__}:view_occurrence",
    location="/occurrences/{id}",
    in_commands=False,
)

OCCURRENCE = Noun("occurrence", "occurrences", "schedules", OccurrenceView, view=f"{__name__}:view_occurrence")
OCCURRENCE.lists(
    "list_occurrences",
    "Lists occurrences of all schedules, the newest first.",
    f"{_ROWS}:list_occurrences",
    columns=("id", "name", "fire_at", "state", "reason"),
    empty=("No occurrences.", "발생이 없습니다."),
    wanted=OccurrenceFilter,
    count=f"{_ROWS}:count_occurrences",
    has_period=True,
    command="",
)
