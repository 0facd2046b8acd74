"""Heartbeats, described once: REST and the command line follow."""

from datetime import datetime, timedelta
from typing import Any

from pabal.apps.rules.heartbeats.model import ADDRESS, AREA, Heartbeat, HeartbeatState, KeptReport
from pabal.platform.actor import Right
from pabal.platform.resources import KEPT, ROW_ID, Ask, Filter, Noun, Rules, View, Viewer, ask, field

APP = "pabal.apps.rules.heartbeats"
_ACTIONS, _STORE, _FINDING = f"{APP}.actions", f"{APP}.store", f"{APP}.finding"
_FIND_UNIT = "pabal.platform.commands.options:find_unit_id"
_SECONDS = f"{_FINDING}:read_seconds"
_NAME = Rules(min_length=1, max_length=100)
_EVERY, _GRACE = Rules(ge=60, le=31_536_000), Rules(ge=60, le=2_592_000)


class HeartbeatReportView(View):
    """What came to the address. `took_seconds` is since it said that it began."""

    at: datetime = field(("Time", "시각"))
    kind: str = field(("Report", "보고"), status="heartbeat_report", example="success")
    took_seconds: float | None = field(("Took", "걸린 시간"), example=12.5)
    exit_code: int | None = field(("Exit code", "종료 코드"), example=0)
    body: str = field(("Text", "내용"), example="3 files copied")


class HeartbeatView(View):
    """A job elsewhere that reports here. `state` is new (nothing came yet), up, late (its grace time runs), down
    (missing or failed) or paused."""

    id: int = field(("ID", "번호"), example=7)
    name: str = field(("Name", "이름"), example="야간 백업")
    state: str = field(("State", "상태"), status="heartbeat", is_told=True, example="up")
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    cron: str | None = field(("Cron", "Cron 식"), example="0 3 * * *")
    every_seconds: int | None = field(("Every (s)", "간격(초)"), example=None)
    zone: str = field(("Time zone", "시간대"), example="Asia/Seoul")
    grace_seconds: int = field(("Grace time (s)", "유예 시간(초)"), example=600)
    reported_at: datetime | None = field(("Last report", "마지막 보고"), is_told=True)
    due_at: datetime | None = field(("Expected", "다음 예정"), is_told=True)
    started_at: datetime | None = field(("Running since", "시작한 때"), is_told=True, example=None)
    path: str = field(
        ("Address", "주소"),
        description="Where it reports to, behind this server's address. Hidden from those who may only look.",
        example=f"{ADDRESS}/0b6b1d4e-5f0a-4c3e-9a51-2f1f0d8f7c11",
    )
    created_at: datetime = field(("Made", "만든 때"))


def view_heartbeat(heartbeat: Heartbeat, viewer: Viewer) -> HeartbeatView:
    """Whoever knows the address may report, so that reading it takes the right to change it."""
    path = heartbeat.path if viewer.actor.may(Right.WRITE, AREA) else hide(heartbeat)
    return HeartbeatView.of(heartbeat, path=path)


def hide(heartbeat: Heartbeat) -> str:
    return f"{ADDRESS}/••••"


def view_report(report: KeptReport, viewer: Viewer) -> HeartbeatReportView:
    took = None if report.took is None else report.took.total_seconds()
    return HeartbeatReportView.of(report, took_seconds=took)


class HeartbeatFilter(Filter):
    state: list[HeartbeatState] = ask("Only in these states.", example=["down"], default_factory=list)
    q: str | None = ask("A part of its name.", option="--find", default=None)


class HeartbeatToMake(Ask):
    """Either `cron` or `every_seconds`. Without a unit it is your own's."""

    name: str = ask("What people call it.", argument=True, metavar="NAME", rules=_NAME, example="야간 백업")
    cron: str | None = ask(
        "When it reports: five fields.", rules=Rules(max_length=200), example="0 3 * * *", default=None
    )
    every_seconds: int | None = ask(
        "How long after its last report the next one comes: 5m, 24h.",
        option="--every",
        metavar="SPAN",
        find=_SECONDS,
        rules=_EVERY,
        example=None,
        default=None,
    )
    zone: str = ask("The time zone of its cron.", example="Asia/Seoul", default="Asia/Seoul")
    grace_seconds: int = ask(
        "How late it may be before somebody is told: 10m, 2h.",
        option="--grace",
        metavar="SPAN",
        find=_SECONDS,
        rules=_GRACE,
        example=600,
        default=600,
    )
    unit_id: int | None = ask(
        "Whose it is.", option="--org", metavar="UNIT", find=_FIND_UNIT, rules=ROW_ID, example=3, default=None
    )

    def arguments(self) -> dict[str, Any]:
        return _spans({**super().arguments()})


class HeartbeatChange(Ask):
    """JSON merge patch: only what is given changes. A cron takes the place of an interval, and back."""

    name: str = ask("What people call it.", rules=_NAME, example="야간 백업", default=KEPT)
    cron: str = ask("When it reports: five fields.", rules=Rules(max_length=200), example="0 4 * * *", default=KEPT)
    every_seconds: int = ask(
        "How long after its last report the next one comes: 5m, 24h.",
        option="--every",
        metavar="SPAN",
        find=_SECONDS,
        rules=_EVERY,
        default=KEPT,
    )
    zone: str = ask("The time zone of its cron.", example="Asia/Seoul", default=KEPT)
    grace_seconds: int = ask(
        "How late it may be before somebody is told: 10m, 2h.",
        option="--grace",
        metavar="SPAN",
        find=_SECONDS,
        rules=_GRACE,
        example=900,
        default=KEPT,
    )

    def arguments(self) -> dict[str, Any]:
        return _spans({**super().arguments()})


class HeartbeatPausing(Ask):
    reason: str | None = ask(
        "Why; kept in its history.", option="--message,-m", metavar="TEXT", example="Server moves.", default=None
    )


def _spans(given: dict[str, Any]) -> dict[str, Any]:
    """Seconds as the actions take them."""
    for name, said in (("every_seconds", "every"), ("grace_seconds", "grace")):
        if name in given:
            value = given.pop(name)
            given[said] = timedelta(seconds=value) if isinstance(value, int) else value
    return given


_COLUMNS = ("id", "name", "state", "unit_id", "cron", "every_seconds", "grace_seconds", "reported_at", "due_at")
HEARTBEAT = Noun(
    "heartbeat",
    "heartbeats",
    AREA,
    HeartbeatView,
    view=f"{__name__}:view_heartbeat",
    find=f"{_STORE}:get_heartbeat",
    hold=f"{_STORE}:hold_heartbeat",
    named=f"{_FINDING}:find_heartbeat",
    words=f"{APP}.labels:STATUS",
    columns=(*_COLUMNS, "zone", "started_at", "path", "created_at"),
    get_help="Shows one heartbeat.",
)
HEARTBEAT.lists(
    "list_heartbeats",
    "Lists heartbeats, the newest first.",
    f"{_FINDING}:list_heartbeats",
    columns=_COLUMNS,
    empty=(
        "No heartbeats. Example: pabal rule heartbeat new NAME --cron '0 3 * * *'",
        "하트비트가 없습니다. 예: pabal rule heartbeat new 이름 --cron '0 3 * * *'",
    ),
    wanted=HeartbeatFilter,
)
HEARTBEAT.verb(
    "create",
    f"{_ACTIONS}:create_heartbeat",
    "Makes a heartbeat. Let the job call its address when it has ended.",
    HeartbeatToMake,
    makes=True,
    command="new",
)
HEARTBEAT.verb(
    "edit",
    f"{_ACTIONS}:edit_heartbeat",
    "Changes only what is given. The next report is expected by the new schedule.",
    HeartbeatChange,
    method="PATCH",
)
HEARTBEAT.verb("pause", f"{_ACTIONS}:pause_heartbeat", "Expects no reports until it is resumed.", HeartbeatPausing)
HEARTBEAT.verb(
    "resume", f"{_ACTIONS}:resume_heartbeat", "Expects reports again, from the next one on.", HeartbeatPausing
)
HEARTBEAT.verb(
    "new_address",
    f"{_ACTIONS}:new_address",
    "Gives it a new address. Reports to the old one are refused at once.",
    path="/heartbeats/{id}/new-address",
    command="new-address",
)
HEARTBEAT.verb(
    "delete",
    f"{_ACTIONS}:delete_heartbeat",
    "Removes a heartbeat and its reports.",
    method="DELETE",
    answers_nothing=True,
    status=204,
    confirm=(
        "Remove this heartbeat? Its address stops working.",
        "이 하트비트를 삭제할까요? 주소도 더는 쓸 수 없습니다.",
    ),
)
