"""Events: what each would do and did, what comes by itself, and the delayed events that ad groups wait for."""

from datetime import datetime
from typing import Any, Literal

from pabal.apps.adgroups.model.adgroups import AREA, DELAYED_KEY
from pabal.apps.adgroups.resources.groups import AdGroupView
from pabal.apps.adgroups.resources.names import (
    APP,
    EVENT_WORDS,
    GROUP_EXAMPLE,
    STATE_WORDS,
    STATUS_WORDS,
    AdGroupEvent,
    AdGroupStatus,
    TimedEvent,
)
from pabal.platform.language.pairs import Lang
from pabal.platform.resources import Ask, Filter, Noun, View, ask, column, field

HOLDS, FAILS = "✓", "✕"
NO_DELAYED = ("No delayed event waits.", "기다리는 지연 이벤트가 없습니다.")
# of a forecast, on every face: foresight walks event by event
MOST_DAYS = 31


class ConditionView(View):
    """One condition of a guard, with the values it compared and the sentence made from them."""

    code: str = field(("Condition", "조건"), example="has_begun")
    holds: bool = field(("Holds", "맞음"), example=False)
    values: dict[str, Any] = field(
        ("Values", "값"), example={"now": "2026-07-02T23:59:00Z", "start_at": "2026-07-03T00:00:00Z"}
    )
    detail: str = field(("In words", "설명"), example="now 08:59 KST < start 09:00 KST")


class ExplainedView(View):
    """What one event would do: lead to `target`, or be refused; `report` holds every condition of its guard."""

    event: AdGroupEvent = field(("Event", "이벤트"), words=EVENT_WORDS, example="START")
    allowed: bool = field(("Allowed", "가능"), example=False)
    target: AdGroupStatus | None = field(("Leads to", "다음 상태"), words=STATE_WORDS, example=None)
    code: str | None = field(
        ("Why not", "안 되는 까닭"),
        description="Why not: the first condition that does not hold.",
        example="has_begun",
    )
    detail: str | None = field(
        ("Why not", "안 되는 까닭"), description="The same in words.", example="now 08:59 KST < start 09:00 KST"
    )
    guard: str | None = field(("Guard", "가드"), example="startable")
    report: list[ConditionView] = field(("Conditions", "조건"))
    is_extension: bool = field(
        ("Extension", "확장"), description="The seed's matrix does not have this move.", example=False
    )

    @column(("Conditions", "조건"))
    def conditions(self, lang: Lang) -> str | None:
        return " · ".join(f"{HOLDS if one.holds else FAILS} {one.detail}" for one in self.report) or self.detail


class EventSentView(View):
    """What the event did, or in a dry run would do; `ad_group` is null then."""

    effect: ExplainedView = field(("Effect", "결과"))
    ad_group: AdGroupView | None = field(("Ad group", "광고그룹"))


class ExplanationView(View):
    """For every event of the machine where it would lead at `at`, were it still as it is now, or why not."""

    at: datetime = field(("At", "시각"))
    status: AdGroupStatus = field(("State", "상태"), status="adgroup_status", example="RUNNING")
    events: list[ExplainedView] = field(("Events", "이벤트"))


class BulkResultView(View):
    """`status` is where it is now, or in a dry run would be; `code`, `values` and `detail` say why it is refused."""

    id: str = field(("ID", "ID"), example=GROUP_EXAMPLE)
    result: Literal["moved", "refused"] = field(("Result", "결과"), example="moved")
    status: AdGroupStatus | None = field(("State", "상태"), status="adgroup_status", example="PAUSED")
    code: str | None = field(("Why not", "안 되는 까닭"), example=None)
    values: dict[str, Any] = field(("Values", "값"), example={})
    detail: str | None = field(("Why", "이유"), example=None)


class SentView(BulkResultView):
    """One of those an event was sent to, as a command answers it: also where it was, and all its guard found."""

    name: str = field(("Name", "이름"), example="여름 행사")
    before: AdGroupStatus = field(("Before", "이전"), words=STATE_WORDS, example="RUNNING")
    version: int = field(("Version", "버전"), example=4)
    report: list[ConditionView] = field(("Conditions", "조건"))


class BulkSentView(View):
    """One event to many: how many moved, and of each what became of it."""

    state: Literal["done", "partial", "failed"] = field(("State", "상태"), example="done")
    moved: int = field(("Moved", "처리"), example=1)
    refused: int = field(("Refused", "거절"), example=0)
    is_dry_run: bool = field(("Dry run", "미리 해 보기"), example=False)
    results: list[BulkResultView] = field(("Results", "결과"))


class StretchView(View):
    """In this state from `since` to `until` unless somebody interferes; `event` began it, null where it already was."""

    status: AdGroupStatus = field(("State", "상태"), status="adgroup_status", example="RUNNING")
    since: datetime = field(("Since", "부터"))
    until: datetime = field(("Until", "까지"))
    event: str | None = field(("By event", "이벤트"), words=EVENT_WORDS, example="DAILY_START")


class ChangeView(View):
    """One transition: who, when, why. `cause` is the job or fact that led to it."""

    version: int = field(("Version", "버전"), example=2)
    event: str = field(("Event", "이벤트"), words=EVENT_WORDS, example="COMPLETE_SETUP")
    source: AdGroupStatus | None = field(("Before", "이전"), words=STATE_WORDS, example="DRAFT")
    target: AdGroupStatus = field(("Leads to", "다음 상태"), words=STATE_WORDS, example="READY")
    actor: str = field(("Who", "누가"), example="user:12")
    reason: str | None = field(("Reason", "이유"), example=None)
    cause: str | None = field(("Cause", "원인"), example=None)
    at: datetime = field(("At", "시각"))


class StatusAtView(View):
    """`status` is null before it was made."""

    id: str = field(("ID", "ID"), example=GROUP_EXAMPLE)
    name: str = field(("Name", "이름"), example="여름 행사")
    at: datetime = field(("At", "시각"))
    status: AdGroupStatus | None = field(("State", "상태"), status="adgroup_status", example="RUNNING")


class MemberView(View):
    """As the seed's sorted set has it."""

    adGroupId: str = field(("Ad group ID", "광고그룹 ID"), example=GROUP_EXAMPLE)  # noqa: N815 -- the seed's own name
    event: TimedEvent = field(("Event", "이벤트"), words=EVENT_WORDS, example="START")


class DelayedView(View):
    """`key`, `member` and `score` (Unix time) are the seed's names for a timer of ours. `due_at` null: it failed three
    times and waits for an edit."""

    key: str = field(("Key", "키"), example=DELAYED_KEY)
    member: MemberView = field(("Member", "원소"))
    score: float | None = field(("Score", "점수"), example=1783036800.0)
    scheduled_key: str = field(
        ("Key of the ad group", "광고그룹의 키"),
        description="The seed's set of it.",
        example=f"adgroup:scheduled:{GROUP_EXAMPLE}",
    )
    lock_key: str = field(
        ("Lock", "잠금"),
        description="The seed's lock; with us the ad group's row is locked.",
        example=f"adgroup:event:lock:{GROUP_EXAMPLE}",
    )
    due_at: datetime | None = field(("Due", "예정"))
    late_seconds: float = field(("Late (s)", "늦음(초)"), example=0.0)
    schedule_version: int = field(("Schedule version", "일정 버전"), example=1)
    tries: int = field(("Failed tries", "실패"), example=0)
    error: str | None = field(("Error", "오류"), example=None)
    name: str = field(("Ad group", "광고그룹"), example="여름 행사")
    status: AdGroupStatus = field(("State", "상태"), status="adgroup_status", example="APPROVED")
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)

    @column(("ID", "ID"))
    def id(self, lang: Lang) -> str:
        return self.member.adGroupId

    @column(("Event", "이벤트"), words=EVENT_WORDS)
    def event(self, lang: Lang) -> str:
        return self.member.event


class DelayedFilter(Filter):
    event: tuple[TimedEvent, ...] = ask("Any of these, separated by commas.", default=())
    late: bool = ask("Only those whose moment has passed.", default=False)


class EventAsk(Ask):
    event: AdGroupEvent = ask("Which.", example="PAUSE")
    reason: str | None = ask("Why; kept in the history.", example="소재 교체", default=None)


class BulkAsk(Ask):
    """At most 1,000 at once."""

    event: AdGroupEvent = ask("Which.", example="PAUSE")
    ids: tuple[int, ...] = ask("To which.", read=f"{APP}.api.readings:GroupIds", example=[GROUP_EXAMPLE])
    reason: str | None = ask("Why; kept in the history.", example="소재 교체", default=None)


class MoveAsk(Ask):
    """A start or an end is its date; a daily one is that day's boundary alone."""

    to: datetime = ask("Until when.")


DELAYED = Noun(
    "delayed_event",
    "delayed-events",
    AREA,
    DelayedView,
    view=f"{APP}.resources.views:view_delayed",
    words=STATUS_WORDS,
)
DELAYED.lists(
    "list_delayed_events",
    "Lists what ad groups wait for, the next one first.",
    f"{APP}.actions.delayed:list_delayed",
    columns=("due_at", "event", "id", "name", "status", "unit_id", "tries"),
    empty=NO_DELAYED,
    wanted=DelayedFilter,
)
