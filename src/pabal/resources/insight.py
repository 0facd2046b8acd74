"""How things stand, what comes next, and why something ran or did not."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pabal.platform.commands.lazily import lazily
from pabal.platform.language.pairs import Lang, put
from pabal.platform.resources import BadParameter, Filter, Report, Rules, View, Viewer, ask, column, field

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.engine.why import Story
    from pabal.platform.operating import Coming
    from pabal.platform.tenants import Scope

with lazily():
    import pabal
    from pabal.engine import listing
    from pabal.platform import alerts, operating
    from pabal.platform.language import stories

LONGEST = timedelta(days=366)
# more than any page shows: what is filtered out is looked at too
LOOKED = 2000
WHAT = {"schedule": ("schedule", "스케줄"), "job": ("job", "작업"), "timer": ("timer", "타이머")}
SKIPPED = ("skipped", "건너뜀")


class StoryLineView(View):
    """`at` is null for what holds now."""

    at: datetime | None = field(("At", "시각"))
    code: str = field(("Code", "코드"), example="delayed_retry")
    text: str = field(("What", "내용"), example="Tries again then (failed 1 of 5 times).", is_told=True)


class StoryView(View):
    """`advice` are codes of what one may do now."""

    id: str = field(("ID", "ID"), example="job_01h2xcejqtf2n")
    title: str = field(("Title", "제목"), example="messaging.send")
    state: str = field(("State", "상태"), example="delayed")
    lines: list[StoryLineView] = field(("Story", "경과"))
    advice: list[str] = field(("Advice", "할 일"), example=["cancel_job"])


class ComingView(View):
    """`what` is schedule, job or timer."""

    at: datetime = field(("At", "시각"))
    what: str = field(("What", "무엇"), words=WHAT, example="schedule")
    id: str = field(("ID", "ID"), example="sch_12")
    kind: str = field(("Kind", "종류"), example="messaging.send")
    about: str | None = field(("About", "대상"), example="message:7")
    unit_id: int | None = field(
        ("Unit", "조직"), description="The organisation unit it belongs to.", kind="unit", example=3
    )
    note: str | None = field(("Note", "비고"), example="아침 공지")
    is_skipped: bool = field(("Skipped", "건너뜀"), example=False)

    @column(("Note", "비고"))
    def remark(self, lang: Lang) -> str | None:
        return put(lang, SKIPPED) if self.is_skipped else self.note


class UpcomingView(View):
    """`has_more`: there is more up to `until` than was asked for."""

    items: list[ComingView] = field(("Ahead", "예정"))
    until: datetime = field(("Until", "까지"))
    has_more: bool = field(("More", "더 있음"), example=False)


class DepthsView(View):
    """Counted up to 10,000; 10001 means more."""

    ready: int = field(("Ready", "준비됨"), example=3)
    delayed: int = field(("Delayed", "예약"), example=12)
    waiting: int = field(("Waiting", "줄 섬"), example=0)
    running: int = field(("Running", "진행"), example=2)


class AlertCountsView(View):
    """Of those that are open."""

    firing: int = field(("Firing", "발생"), example=0)
    acknowledged: int = field(("Acknowledged", "확인함"), example=0)
    silenced: int = field(("Silenced", "무음"), example=0)


class HealthView(View):
    """`jobs` and `servers` are of the whole house, and null for those who see only a part of it."""

    now: datetime = field(("Now", "지금"))
    version: str = field(("Version", "버전"), example="0.1.0")
    alerts: AlertCountsView = field(("Alerts", "경보"))
    jobs: DepthsView | None = field(("Jobs", "작업"))
    servers: dict[str, int] | None = field(
        ("Servers", "서버"), description="How many are in each state.", example={"ok": 2}
    )


class UpcomingFilter(Filter):
    since: datetime | None = ask("Not before this moment; now unless said.", alias="from", default=None)
    until: datetime | None = ask("Up to this moment; a day unless said.", alias="to", default=None)
    app: str | None = ask("Only of this app.", example="messaging", default=None)
    limit: int = ask("How many at most.", rules=Rules(ge=1, le=200), default=100)

    def wants(self, one: "Coming") -> bool:
        is_late = self.since is None or one.at >= self.since
        name = one.about if one.what == "timer" else one.kind
        return is_late and (self.app is None or str(name).split(".")[0].split(":")[0] == self.app)


def view_story(story: "Story", lang: Lang, when: Callable[[datetime], str]) -> StoryView:
    """Moments in its sentences are on the reader's own clock."""
    lines = [StoryLineView(at=one.at, code=one.code, text=stories.tell(one, lang, when)) for one in story.lines]
    return StoryView.of(story, lines=lines)


async def read_upcoming(tx: "Tx", scope: "Scope", wanted: UpcomingFilter, viewer: Viewer) -> UpcomingView:
    until = wanted.until or (wanted.since or tx.now) + timedelta(days=1)
    if until > tx.now + LONGEST:
        raise BadParameter("to: a year ahead at most")
    controls = [each for one in viewer.apps() for each in one.controls]
    found = await operating.list_upcoming(tx, viewer.actor, scope, until, controls=controls, limit=LOOKED)
    named = [one for one in found if wanted.wants(one)]
    items = [ComingView.of(one) for one in named[: wanted.limit]]
    return UpcomingView(items=items, until=until, has_more=len(named) > wanted.limit)


async def read_health(tx: "Tx", scope: "Scope", wanted: Filter, viewer: Viewer) -> HealthView:
    sees_all = scope.holds(None)
    states = [one.state for one in await listing.list_servers(tx)] if sees_all else []
    return HealthView(
        now=tx.now,
        version=pabal.__version__,
        alerts=AlertCountsView.of(await alerts.count_open(tx, scope)),
        jobs=DepthsView.of(await listing.read_depths(tx)) if sees_all else None,
        servers={state: states.count(state) for state in dict.fromkeys(states)} if sees_all else None,
    )


UPCOMING = Report(
    "list_upcoming",
    "Lists what will happen: moments of schedules, delayed jobs and timers, the soonest first.",
    "schedules",
    "/upcoming",
    UpcomingView,
    read=f"{__name__}:read_upcoming",
    wanted=UpcomingFilter,
    details={"items": ("at", "what", "id", "kind", "about", "remark")},
)
HEALTH = Report(
    "get_health",
    "Says how the house stands: jobs, servers, alerts.",
    "servers",
    "/health",
    HealthView,
    read=f"{__name__}:read_health",
)
