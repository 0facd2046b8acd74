"""The engine's resources: jobs and their attempts, facts, servers."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pabal.engine import ids
from pabal.platform.commands.lazily import lazily
from pabal.platform.language.pairs import Lang
from pabal.platform.resources import Ask, Filter, Noun, Rules, View, Viewer, ask, column, field

if TYPE_CHECKING:
    from pabal.engine.listing import JobLine, ServerSeen
    from pabal.engine.queue import Attempt, Place
    from pabal.engine.reading import Fact
    from pabal.platform.operating import Done

with lazily():
    pass

_ROWS = "pabal.resources.rows"
_ANY = "Any of these, separated by commas."
JobState = Literal[
    "ready", "delayed", "waiting", "running", "done", "partial", "failed", "cancelled", "expired", "quarantined"
]


class JobView(View):
    """A job and where it is now."""

    id: str = field(("ID", "ID"), example="job_01h2xcejqtf2n")
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    kind: str = field(("Kind", "종류"), example="messaging.send")
    state: str = field(("State", "상태"), status="job", example="delayed")
    queue: str = field(("Queue", "큐"), example="messaging.send")
    lane: str | None = field(("Lane", "줄"), example="bot:busan1")
    lane_holder: str | None = field(("Lane held by", "줄 앞 작업"), example=None)
    about: str | None = field(("About", "대상"), example="schedule:7")
    cause: str | None = field(("Cause", "계기"), description="What led to it.", example="schedule:7")
    priority: int = field(("Priority", "우선순위"), example=1)
    failures: int = field(("Failures", "실패"), example=1)
    max_failures: int = field(("Most failures", "최대 실패"), example=5)
    reason: str | None = field(("Reason", "이유"), description="Why it waits.", example="retry")
    error: str | None = field(("Error", "오류"), description="Why it ended badly.", example=None)
    worker: str | None = field(("Worker", "워커"), example="wrk_01h2xcejqtf2n")
    host: str | None = field(("Host", "호스트"), example="server-1")
    progress: dict[str, Any] | None = field(
        ("Progress", "진행"), description="What its attempts reported last.", example={"percent": 45}
    )
    reported_at: datetime | None = field(("Reported", "마지막 보고"))
    estimated_at: datetime | None = field(("Through by", "예상 완료"), description="If it goes on as its reports tell.")
    stop: str | None = field(
        ("Told to stop", "중지 이유"),
        description="Why the running attempt must stop: cancel, deadline, stall, lease_lost or shutdown.",
        example=None,
    )
    created_at: datetime = field(("Enqueued", "등록"))
    ready_at: datetime | None = field(("Ready", "준비된 때"))
    due_at: datetime | None = field(("Due", "예정"), description="When it is tried next.")
    started_at: datetime | None = field(("Started", "시작"))
    deadline: datetime | None = field(("Deadline", "마감"))
    cancel_at: datetime | None = field(
        ("Cancel asked", "취소 요청"), description="When somebody asked to cancel it while it ran."
    )
    expires_at: datetime | None = field(("Expires", "만료"))
    ended_at: datetime | None = field(("Ended", "끝"))

    @column(("Note", "비고"))
    def note(self, _lang: Lang) -> str | None:
        """Whatever is most worth a glance: why it ended, or what it waits for."""
        return self.error or (self.reason and self.due_at and f"{self.reason} → {self.due_at:%H:%M:%S}Z") or None


class AttemptView(View):
    """One try and its end."""

    token: int = field(("Try", "시도"), example=1)
    result: str = field(("Result", "결과"), status="attempt", example="retry")
    final: bool = field(("Final", "마지막"), example=False)
    worker: str | None = field(("Worker", "워커"), example="wrk_01h2xcejqtf2n")
    started_at: datetime | None = field(("Started", "시작"))
    ended_at: datetime = field(("Ended", "끝"))
    error: dict[str, Any] | None = field(("Error", "오류"), example={"reason": "the bot does not answer"})


class WholeJobView(JobView):
    """With what it was given, what it saved for its next attempt, what it gave, and its tries, the first one first."""

    args: dict[str, Any] = field(("Arguments", "인자"), example={"room": "부산-운영"})
    records_end: bool = field(
        ("Tells its end", "끝을 알림"), description="Whether its end is recorded as the fact job.ended.", example=False
    )
    checkpoint: dict[str, Any] | None = field(
        ("Checkpoint", "체크포인트"), description="Where its next attempt goes on.", example={"frame": 120}
    )
    data: dict[str, Any] | None = field(("Gave", "결과 값"), example={"file": "out.mp4"})
    attempts: list[AttemptView] = field(("Attempts", "시도들"))


class JobResultView(View):
    """What became of it. `job` is the new one that a retry made."""

    id: str = field(("ID", "ID"), example="job_01h2xcejqtf2n")
    result: str = field(("Result", "결과"), example="cancelled")
    job: str | None = field(("New job", "새 작업"), example=None)


class FactView(View):
    """What happened, once and for all."""

    seq: int = field(("No.", "번호"), example=7)
    id: str = field(("ID", "ID"), example="0b5d6f0c-7a3e-4a7e-9a53-5f0b8f8f9d11")
    name: str = field(("Name", "이름"), example="settings.changed")
    subject: str = field(("Subject", "대상"), example="setting:backup.keep")
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    at: datetime = field(("At", "시각"))
    data: dict[str, Any] = field(("Data", "내용"), example={"key": "backup.keep"})


class ServerView(View):
    """One life of one process. `state` is ok, silent, draining or drained."""

    id: str = field(("ID", "ID"), example="wrk_01h2xcejqtf2n")
    host: str = field(("Host", "호스트"), example="server-1")
    pid: int | None = field(("PID", "PID"), example=4711)
    state: str = field(("State", "상태"), status="server", example="ok")
    roles: list[str] = field(("Roles", "역할"), example=["web", "worker"])
    kinds: list[str] = field(("Kinds", "종류"), example=["messaging.send"])
    labels: list[str] = field(("Labels", "라벨"), description="What it has that some work needs.", example=["gpu"])
    version: str | None = field(("Version", "버전"), example="0.1.0")
    running: int = field(("Running", "실행 중"), example=2)
    slots: int | None = field(("Slots", "자리"), example=50)
    routes: int = field(("Routes", "경로"), example=0)
    started_at: datetime = field(("Since", "시작"))
    drain_at: datetime | None = field(("Draining since", "비우기 시작"))
    heard_seconds: float = field(
        ("Heard (s ago)", "마지막 신호(초 전)"), description="How long ago it was heard.", example=0.8
    )


class JobFilter(Filter):
    """From and to are of its creation."""

    state: tuple[JobState, ...] = ask(_ANY, default=())
    kind: str | None = ask("Only of this kind.", example="messaging.send", default=None)
    queue: str | None = ask("A kind, or a route such as bot:busan1.", default=None)
    lane: str | None = ask("Only in this lane.", default=None)
    about: str | None = ask("Only about this subject, like schedule:7.", example="schedule:7", default=None)
    since: datetime | None = ask("Not before this moment.", alias="from", default=None)
    until: datetime | None = ask("Before this moment.", alias="to", default=None)


class JobPriority(Ask):
    priority: Literal["urgent", "high", "normal", "low"] = ask("How urgent it is now.", example="urgent")

    def arguments(self) -> dict[str, Any]:
        return {"priority": self.priority}


class FactFilter(Filter):
    """From and to are of its moment."""

    name: tuple[str, ...] = ask(
        "Any of these, separated by commas; may end in a star.",
        rules=Rules(max_length=50),
        example=["alert.*"],
        default=(),
    )
    subject: str | None = ask("Whose it is.", example="alert:7", default=None)
    since: datetime | None = ask("Not before this moment.", alias="from", default=None)
    until: datetime | None = ask("Before this moment.", alias="to", default=None)


def show_worker(number: int | None) -> str | None:
    """Numbers past 2^53 leave the process only as text."""
    return None if number is None else ids.show("wrk", number)


def show_job(number: int | None) -> str | None:
    return None if number is None else ids.show("job", number)


def view_job(line: "JobLine", viewer: Viewer) -> JobView:
    return JobView.of(line, **_job_names(line))


def view_whole_job(line: "JobLine", place: "Place", attempts: Sequence["Attempt"]) -> WholeJobView:
    whole = {name: getattr(place, name) for name in ("args", "records_end", "checkpoint", "data")}
    return WholeJobView.of(line, **_job_names(line), **whole, attempts=[view_attempt(one) for one in attempts])


def _job_names(line: "JobLine") -> dict[str, Any]:
    return {
        "id": show_job(line.id),
        "worker": show_worker(line.worker),
        "lane_holder": show_job(line.lane_holder),
    }


def view_attempt(attempt: "Attempt") -> AttemptView:
    return AttemptView.of(attempt, worker=show_worker(attempt.worker))


def view_result(done: "Done") -> JobResultView:
    return JobResultView(id=done.id, result=done.result, job=done.made)


def view_fact(fact: "Fact", viewer: Viewer) -> FactView:
    return FactView.of(fact, id=str(fact.id))


def view_server(server: "ServerSeen", viewer: Viewer) -> ServerView:
    return ServerView.of(server, id=show_worker(server.id), pid=server.meta.get("pid"))


JOB = Noun(
    "job",
    "jobs",
    "jobs",
    JobView,
    view=f"{__name__}:view_job",
    prefix="job",
)
JOB.lists(
    "list_jobs",
    "Lists jobs, the newest first.",
    f"{_ROWS}:list_jobs",
    columns=("id", "kind", "state", "about", "created_at", "note"),
    empty=("No jobs.", "작업이 없습니다."),
    wanted=JobFilter,
    count=f"{_ROWS}:count_jobs",
    has_period=True,
    command="",
)


# `pabal jobs priority` is written by hand: it understands shortened ids
JOB.verb(
    "priority",
    f"{_ROWS}:prioritise_job",
    "Gives a job that waits another priority. In a shared lane its turn changes; in an ordered one it keeps its turn.",
    JobPriority,
    operation="prioritise_job",
    needs=("owners",),
    in_commands=False,
)

FACT = Noun(
    "fact",
    "facts",
    "facts",
    FactView,
    view=f"{__name__}:view_fact",
    find="pabal.platform.operating:get_fact",
    columns=("at", "name", "subject", "data"),
    get_help="Shows one fact by its seq.",
    show_command="",
)
FACT.lists(
    "list_facts",
    "Lists facts, the newest first.",
    f"{_ROWS}:list_facts",
    columns=FACT.columns,
    empty=("No facts yet.", "아직 사실이 없습니다."),
    wanted=FactFilter,
    count=f"{_ROWS}:count_facts",
    has_period=True,
    command="",
)

SERVER = Noun(
    "server",
    "servers",
    "servers",
    ServerView,
    view=f"{__name__}:view_server",
    find=f"{_ROWS}:get_server",
    hold=f"{_ROWS}:hold_server",
    named="pabal.cli.finding:find_server",
    prefix="wrk",
    columns=("state", "host", "pid", "roles", "running", "heard_seconds", "started_at"),
    get_help="Shows one server.",
)
SERVER.lists(
    "list_servers",
    "Lists the servers. They belong to the house: who sees only a part of it sees none.",
    f"{_ROWS}:list_servers",
    columns=SERVER.columns,
    empty=("No server runs.", "실행 중인 서버가 없습니다."),
    is_short=True,
)
SERVER.verb("drain", f"{_ROWS}:drain_server", "Lets a server finish what it has and take nothing more.", status=202)
SERVER.verb("undrain", f"{_ROWS}:undrain_server", "Lets a server take work again.")
