"""From calculated to stored: the flags USE_SSM_STATUS, mismatches, and the runs that bring old ad groups over."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pabal.apps.adgroups.labels import CAUSES, MARKS, OUTCOMES, REFUSALS, SOURCES
from pabal.apps.adgroups.legacy.model import Cause, FlagKind, Mode
from pabal.apps.adgroups.model.adgroups import AREA, Source
from pabal.apps.adgroups.resources.names import (
    APP,
    GROUP_EXAMPLE,
    STATE_WORDS,
    STATUS_WORDS,
    AdGroupStatus,
)
from pabal.platform.language.pairs import Lang, Pair, put
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, Rules, View, ask, case, column, field

_FIND, _READ, _VIEWS = f"{APP}.cli.finding", f"{APP}.api.readings", f"{APP}.resources.views"
_RUNS, _SHADOW = f"{APP}.legacy.actions", f"{APP}.legacy.shadow"
FLAG = "USE_SSM_STATUS"
SourceName = Literal["machine", "calculator"]
NO_FLAGS = (
    "No flags: every ad group made here uses its stored state, those brought over the calculator.",
    "플래그가 없습니다. 여기서 만든 광고그룹은 저장된 상태를, 옮겨 온 것은 계산기를 씁니다.",
)
NO_MISMATCHES = ("Both ways agree.", "두 방식이 같습니다.")
NO_ROWS = ("No such rows.", "그런 행이 없습니다.")
_NONE, _GIVEN = {"type": "null"}, {"not": {"type": "null"}}
_COUNTED: Mapping[str, Pair] = {**STATE_WORDS, **MARKS, **REFUSALS, **OUTCOMES}


class FlagName(StrEnum):
    ID = "ID"
    CAMPAIGN = "CAMPAIGN"
    PERCENT = "PERCENT"
    NEW = "NEW"


class RunMode(StrEnum):
    ONE_TRANSACTION = "ONE_TRANSACTION"
    BATCHES = "BATCHES"


class Standing(StrEnum):
    """Of a mismatch: it still differs, or does not any more."""

    OPEN = "open"
    RESOLVED = "resolved"
    ALL = "all"


class FlagView(View):
    """On: those it is about show their stored state; off: the calculator's."""

    name: str = field(("Name", "이름"), example=FLAG)
    kind: FlagName = field(
        ("Flag", "플래그"),
        words={
            "ID": ("ad group", "광고그룹"),
            "CAMPAIGN": ("campaign", "캠페인"),
            "PERCENT": ("of a hundred", "백분율"),
            "NEW": ("new ones", "새 광고그룹"),
        },
        example="ID",
    )
    ad_group: str | None = field(("Ad group", "광고그룹"), example=GROUP_EXAMPLE)
    campaign: str | None = field(("Campaign", "캠페인"), example=None)
    percent: int | None = field(("Of a hundred", "백분율"), example=None)
    is_on: bool = field(("Stored state", "저장된 상태 사용"), example=True)
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    set_by: str = field(("Set by", "정한 사람"), example="user:12")
    set_at: datetime = field(("Set", "정한 때"))

    @column(("Of", "대상"))
    def of_what(self, lang: Lang) -> str | int | None:
        return self.ad_group or self.campaign or self.percent


class FlagChangedView(View):
    """How many ad groups show the other state now."""

    changed: int = field(("Ad groups changed", "바뀐 광고그룹"), example=12)


class FlagSetView(FlagView):
    """A flag that was set, and how many ad groups show the other state now."""

    changed: int = field(("Ad groups changed", "바뀐 광고그룹"), example=12)


class FlagAsk(Ask):
    """An ad group, a campaign, so many of a hundred, or all new ones. The last two are the head office's to set."""

    kind: FlagName = ask("What it is about.", example="PERCENT")
    ad_group: int | None = ask("Of the kind ID.", read=f"{_READ}:OptionalAdGroup", example=None, default=None)
    campaign: int | None = ask("Of the kind CAMPAIGN.", read=f"{_READ}:OptionalCampaign", example=None, default=None)
    percent: int | None = ask("Of the kind PERCENT.", rules=Rules(ge=0, le=100), example=10, default=None)
    is_on: bool = ask("On: the stored state. Off: the calculator's.", default=True)

    cases = (
        case("ad_group", kind={"const": "ID"}, ad_group=_GIVEN, campaign=_NONE, percent=_NONE),
        case("campaign", kind={"const": "CAMPAIGN"}, campaign=_GIVEN, ad_group=_NONE, percent=_NONE),
        case("percent", kind={"const": "PERCENT"}, percent=_GIVEN, ad_group=_NONE, campaign=_NONE),
        case(kind={"const": "NEW"}, ad_group=_NONE, campaign=_NONE, percent=_NONE),
    )

    def fits(self) -> None:
        given = {FlagName.ID: self.ad_group, FlagName.CAMPAIGN: self.campaign, FlagName.PERCENT: self.percent}
        if [kind for kind, value in given.items() if value is not None] != [one for one in given if one == self.kind]:
            raise ValueError("name what this kind is about, and nothing else")

    def arguments(self) -> dict[str, Any]:
        value = next((one for one in (self.ad_group, self.campaign, self.percent) if one is not None), 0)
        return {"kind": FlagKind(self.kind.lower()), "value": value, "is_on": self.is_on}


class LegacyView(View):
    """How far it is: whose state is shown of how many, and what a whole comparison found open, by cause."""

    machine: int = field(("Stored state", "저장된 상태"), example=1200)
    calculator: int = field(("Calculated state", "계산한 상태"), example=0)
    mismatches: dict[str, int] = field(("Mismatches", "불일치"), example={"paused_by_hand": 2})
    compared: int | None = field(
        ("Compared", "비교"), description="Of the whole house; only the head office sees it.", example=1200
    )
    began_at: datetime | None = field(("Began", "시작"))
    finished_at: datetime | None = field(("Ended", "끝"))


class DifferingView(View):
    """An ad group that calculator and machine see differently now."""

    ad_group: str = field(("ID", "ID"), example=GROUP_EXAMPLE)
    name: str = field(("Ad group", "광고그룹"), example="여름 행사")
    calculated: AdGroupStatus = field(("Calculator", "계산기"), words=STATE_WORDS, example="RUNNING")
    stored: AdGroupStatus = field(("Machine", "상태 기계"), words=STATE_WORDS, example="PAUSED")
    source: SourceName = field(("State from", "상태의 근거"), words=SOURCES, example="machine")
    cause: str = field(("Cause", "원인"), words=CAUSES, example="paused_by_hand")


class ComparedView(View):
    """What one comparison of all open ad groups found."""

    compared: int = field(("Compared", "비교"), example=1200)
    differing: int = field(("Differing", "다름"), example=2)
    causes: dict[str, int] = field(("Causes", "원인"), example={"paused_by_hand": 2})


class MismatchView(DifferingView):
    """`source` is whose state is shown; `decision` whom somebody chose to believe."""

    id: int = field(("No.", "번호"), example=3)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    detail: str = field(("In words", "설명"), is_told=True, example="somebody paused it, which dates do not tell")
    since: datetime = field(("Since", "부터"))
    seen_at: datetime = field(("Seen", "본 때"))
    resolved_at: datetime | None = field(("Over", "해소"), example=None)
    decision: SourceName | None = field(
        ("Decided", "결정"),
        words={
            "machine": ("trust the machine", "상태 기계을 믿음"),
            "calculator": ("keep the calculator", "계산기를 유지"),
        },
        example=None,
    )
    decided_by: str | None = field(("Decided by", "결정한 사람"), example=None)
    decided_at: datetime | None = field(("Decided at", "결정한 때"), example=None)


class MismatchFilter(Filter):
    cause: Cause | None = ask("Only of this cause.", default=None)
    state: Standing = ask("Those that still differ, those that do not any more.", default=Standing.OPEN)
    decided: bool | None = ask("Only those somebody decided about, or only the others.", default=None)
    # `--all` is older than `--state all`
    every: bool = ask("Those that are over, too.", option="--all", command_only=True, default=False)

    @property
    def is_open(self) -> bool | None:
        return None if self.every or self.state is Standing.ALL else self.state is Standing.OPEN


class Belief(Ask):
    believe: Source = ask("machine: trust it; calculator: keep it.", argument=True, metavar="WHOM", example="machine")


class RunView(View):
    """A migration. `states`, `marks` and `refusals` count what the dry run found; `counts` what was done since."""

    id: int = field(("No.", "번호"), example=1)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    state: str = field(("State", "상태"), status="adgroup_run", example="planned")
    mode: RunMode | None = field(
        ("How", "방식"),
        words={"ONE_TRANSACTION": ("in one transaction", "한 트랜잭션"), "BATCHES": ("in batches", "나누어")},
        example="ONE_TRANSACTION",
    )
    source: str = field(("From", "원본"), example="csv")
    file: str | None = field(("File", "파일"), example="file_01h2xcejqtf2n")
    rows: int = field(("Rows", "행"), example=1200)
    checkpoint: int = field(("Done up to", "마친 행"), description="Up to which row it is done.", example=0)
    counts: dict[str, int] = field(("Done", "처리"), example={"made": 1190, "refused": 10})
    states: dict[str, int] = field(("States", "상태별"), example={"RUNNING": 800, "EXPIRED": 390})
    marks: dict[str, int] = field(("To look at", "살펴볼 것"), example={"running_unconfirmed": 3})
    refusals: dict[str, int] = field(("Left out", "옮기지 않는 까닭"), example={"no_dates": 10})
    even_touched: bool = field(
        ("Even touched", "고친 것까지"), description="Taken back with what people changed since.", example=False
    )
    error: str | None = field(("Error", "오류"), example=None)
    created_by: str = field(("Made by", "만든 사람"), example="user:12")
    created_at: datetime = field(("Made", "만든 때"))
    started_at: datetime | None = field(("Started", "시작"))
    finished_at: datetime | None = field(("Ended", "끝"))
    rolled_back_at: datetime | None = field(("Taken back", "되돌린 때"), example=None)

    @column(("Done", "처리"))
    def done(self, lang: Lang) -> str:
        return _count_words(self.counts, lang)

    @column(("States", "상태별"))
    def by_state(self, lang: Lang) -> str:
        return _count_words(self.states, lang)

    @column(("To look at", "살펴볼 것"))
    def by_mark(self, lang: Lang) -> str:
        return _count_words(self.marks, lang)

    @column(("Left out", "옮기지 않는 까닭"))
    def by_refusal(self, lang: Lang) -> str:
        return _count_words(self.refusals, lang)


class RunRowView(View):
    """One old ad group: what it was, what it would be, and what became of it."""

    n: int = field(("Row", "행"), example=1)
    legacy_id: str | None = field(("Old ID", "옛 ID"), example="AG001")
    name: str | None = field(("Name", "이름"), example="여름 행사")
    campaign: str | None = field(("Campaign", "캠페인"), example="2026 여름")
    start_at: datetime | None = field(("Start", "시작"))
    end_at: datetime | None = field(("End", "종료"))
    old_status: str | None = field(("Old status", "예전 상태"), example="RUNNING")
    calculated: str | None = field(("Calculator", "계산기"), words=STATE_WORDS, example="RUNNING")
    status: AdGroupStatus | None = field(("Machine", "상태 기계"), words=STATE_WORDS, example="RUNNING")
    marks: list[str] = field(("To look at", "살펴볼 것"), example=["running_unconfirmed"])
    refusal: str | None = field(("Left out", "옮기지 않는 까닭"), words=REFUSALS, example=None)
    problem: str | None = field(("Found", "내용"), example=None)
    outcome: str | None = field(("Outcome", "결과"), words=OUTCOMES, example="made")
    ad_group: str | None = field(("Ad group", "광고그룹"), example=GROUP_EXAMPLE)

    @column(("To look at", "살펴볼 것"))
    def doubts(self, lang: Lang) -> str:
        return ", ".join(put(lang, MARKS[mark]) for mark in self.marks)


class ReportView(View):
    """Where a command wrote the report of a run."""

    id: int = field(("No.", "번호"), example=1)
    to: str = field(("Written to", "쓴 곳"), example="migration-1.csv")


class RunAsk(Ask):
    """From a CSV uploaded to /api/v1/files?kind=any, or from the table legacy_ad_groups of the same database."""

    source: Literal["csv", "table"] = ask("Where they are.", example="csv")
    file: int | None = ask("The CSV.", read=f"{_READ}:OptionalFile", example="file_01h2xcejqtf2n", default=None)
    unit_id: int | None = ask("Whose they become; yours if not said.", rules=ROW_ID, example=None, default=None)

    cases = (
        case("file", source={"const": "csv"}, file={"type": "string"}),
        case(source={"const": "table"}, file={"type": "null"}),
    )

    def fits(self) -> None:
        if (self.source == "csv") != (self.file is not None):
            raise ValueError("a csv has a file, a table has none")


class StartAsk(Ask):
    """Without a mode the setting decides: one transaction up to 10,000 rows."""

    mode: RunMode | None = ask("All or nothing, or in batches with checkpoints.", example=None, default=None)

    def arguments(self) -> dict[str, Any]:
        return {"mode": None if self.mode is None else Mode(self.mode.lower())}


class RollbackAsk(Ask):
    """What people changed since is kept, unless `even_touched`."""

    even_touched: bool = ask("Also what people changed since.", default=False)


def _count_words(counted: Mapping[str, int], lang: Lang) -> str:
    """running 12, expired 3."""
    words = {name: put(lang, _COUNTED[name]) if name in _COUNTED else name for name in counted}
    return ", ".join(f"{words[name]} {count}" for name, count in counted.items() if count)


FLAGS = Noun("flag", "flags", AREA, FlagView, view=f"{_VIEWS}:view_flag", path="/legacy/flags", words=STATUS_WORDS)
FLAGS.lists(
    "list_state_flags",
    "Lists what was said of USE_SSM_STATUS. An ad group's own comes first, then its campaign's, then the house's.",
    f"{APP}.legacy.flags:list_flags",
    columns=("kind", "of_what", "is_on", "set_by", "set_at"),
    empty=NO_FLAGS,
    is_short=True,
    # with the command comes how many ad groups come to use which
    command="",
)

MISMATCH = Noun(
    "mismatch",
    "mismatches",
    AREA,
    MismatchView,
    view=f"{_VIEWS}:view_mismatch",
    find=f"{_SHADOW}:get_mismatch",
    hold=f"{_SHADOW}:lock_mismatch",
    named=f"{_FIND}:find_mismatch",
    path="/legacy/mismatches",
    words=STATUS_WORDS,
    which="Its number: see `pabal ad mismatch list`.",
    columns=(
        *("id", "name", "calculated", "stored", "source", "cause", "since", "decision", "decided_by"),
        "resolved_at",
    ),
    get_help="Shows one difference.",
)
MISMATCH.lists(
    "list_mismatches",
    "Lists where calculator and machine differ, with the cause, the newest first.",
    f"{_SHADOW}:list_mismatches",
    columns=("id", "name", "calculated", "stored", "source", "cause", "since", "decision"),
    empty=NO_MISMATCHES,
    wanted=MismatchFilter,
)
MISMATCH.verb(
    "decide",
    f"{_SHADOW}:decide",
    "Trusts the machine or keeps the calculator, for this ad group from now on.",
    Belief,
)

RUN = Noun(
    "run",
    "runs",
    AREA,
    RunView,
    view=f"{_VIEWS}:view_run",
    find=f"{APP}.legacy.runs:get_run",
    hold=f"{APP}.legacy.runs:hold_run",
    path="/legacy/runs",
    called="migration",
    words=STATUS_WORDS,
    columns=(
        *("id", "state", "mode", "rows", "checkpoint", "done", "by_state", "by_mark", "by_refusal", "error"),
        *("created_by", "created_at", "started_at", "finished_at", "rolled_back_at"),
    ),
    get_help="Shows one migration and how far it is.",
)
RUN.lists(
    "list_migrations",
    "Lists migrations, the newest first.",
    f"{APP}.legacy.runs:list_runs",
    columns=("id", "state", "mode", "rows", "checkpoint", "done", "created_by", "created_at"),
    empty=(
        "No migration yet: pabal ad migration check FILE.csv",
        "아직 전환이 없습니다: pabal ad migration check 파일.csv",
    ),
    title="legacy_runs",
)
# commands can do these in their own process (--here), so they are written by hand
RUN.verb(
    "start",
    f"{_RUNS}:start",
    "Does what was planned, by a job: in one transaction, or in batches with checkpoints.",
    StartAsk,
    status=202,
    in_commands=False,
)
RUN.verb("resume", f"{_RUNS}:resume", "Goes on after the last checkpoint.", status=202, in_commands=False)
RUN.verb(
    "rollback",
    f"{_RUNS}:rollback",
    "Removes what it made and restores what it changed, by a job.",
    RollbackAsk,
    operation="roll_back_migration",
    status=202,
    in_commands=False,
)
RUN.verb(
    "discard",
    f"{_RUNS}:discard",
    "Drops a plan that was not started.",
    method="DELETE",
    answers_nothing=True,
    in_commands=False,
)
