"""Rules: how one is shown, listed, made, changed, and what one does with it. The names are the requirement's."""

from datetime import datetime
from typing import Any

from pabal.apps.rules.labels import MISFIRES, OVERLAPS, SOURCES
from pabal.apps.rules.model.rules import AREA, ZONE, MisfirePolicy, Rule
from pabal.apps.rules.resources.names import APP, FIND_UNIT, FINDING, READINGS, ROWS, RULE_EXAMPLE, STATUS_WORDS
from pabal.apps.rules.resources.runs import RuleExecutionView
from pabal.engine.misfires import Overlap
from pabal.engine.recurrence import describe
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, Rules, View, Viewer, ask, edit_of, field

_ACTIONS, _STORE = f"{APP}.actions.rules", f"{APP}.store.rules"
_NAME = Rules(min_length=1, max_length=200)
_TELEGRAM = {"type": "telegram", "config": {"template": "{ticker} {price}"}, "when": "changed"}
_CONDITION = {"path": "price", "op": ">=", "value_from": "target"}


class RuleView(View):
    """A rule: condition, action and period. `next_run_at` of a paused rule is when it would run."""

    id: str = field(("ID", "ID"), example=RULE_EXAMPLE)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    name: str = field(("Name", "이름"), example="Apple 주가 $200 돌파 알림")
    schedule: str = field(
        ("Schedule", "실행 주기"), description="A cron expression of five fields.", example="*/5 * * * *"
    )
    zone: str = field(("Zone", "시간대"), description="The clock that the schedule is read by.", example=ZONE)
    schedule_text: str = field(("When", "주기 설명"), is_told=True, example="Every 5 minutes (Asia/Seoul)")
    is_active: bool = field(("Active", "켜짐"), example=True)
    payload: dict[str, Any] = field(("Payload", "전달 데이터"), example={"ticker": "AAPL", "target": 200})
    execution_script_path: str | None = field(
        ("Script", "스크립트"),
        description="Path inside the repository. Null: the rule only judges its condition.",
        example="scripts/stock/check_price.py",
    )
    script_function: str | None = field(
        ("Function", "함수"),
        description="Of several functions of the script. Null: the only one, or the one that is called like its file.",
        example=None,
    )
    fetch_before_run: bool = field(
        ("Fetch first", "실행 전 가져오기"),
        description="Whether a run uses the newest commit of the repository's remote.",
        example=False,
    )
    allow_network: bool = field(
        ("Network", "네트워크"), description="Whether the script may use the network.", example=False
    )
    read_folders: list[str] = field(
        ("Folders to read", "읽을 폴더"), description="What the script may read besides its own.", example=["/srv/data"]
    )
    write_folders: list[str] = field(
        ("Folders to change", "바꿀 폴더"), description="What it may change, too.", example=[]
    )
    artifact_days: int | None = field(
        ("Keep files (days)", "파일 보관(일)"),
        description="How long files of its runs are kept. Null: as long as the setting says.",
        example=None,
    )
    source: str | None = field(
        ("Data source", "데이터 소스"), words=SOURCES, description="What is read before.", example="offline_quote"
    )
    condition: dict[str, Any] | None = field(
        ("Condition", "조건"),
        description='`{"path", "op", "value"}`, or `all` or `any` of several. `value_from` names a payload value.',
        example=_CONDITION,
    )
    on_success: list[dict[str, Any]] = field(("On success", "성공했을 때"), example=[_TELEGRAM])
    on_failure: list[dict[str, Any]] = field(("On failure", "실패했을 때"), example=[{"type": "log", "config": {}}])
    misfire: str = field(
        ("After being off", "꺼져 있었을 때"),
        words=MISFIRES,
        description="What becomes of moments at which nothing was running: run_once, skip, run_all.",
        example="run_once",
    )
    misfire_max: int | None = field(("At most", "최대"), description="Of run_all, how many.", example=None)
    overlap: str = field(
        ("Overlap", "겹칠 때"),
        words=OVERLAPS,
        description="While the run before goes on: skip, queue, allow, cancel_previous.",
        example="skip",
    )
    timeout_seconds: int = field(("Time limit (s)", "제한 시간(초)"), example=300)
    max_attempts: int = field(("Attempts", "시도 횟수"), example=1)
    retry_seconds: int = field(("Between attempts (s)", "재시도 간격(초)"), example=60)
    cooldown_seconds: int = field(
        ("Cool-down (s)", "다시 알리기까지(초)"),
        description="Nobody is told again that the condition is met before that.",
        example=3600,
    )
    next_run_at: datetime | None = field(("Next run", "다음 실행"), is_told=True)
    created_at: datetime = field(("Made", "만든 때"))
    updated_at: datetime = field(("Changed", "바뀐 때"), is_told=True)


def view_rule(rule: Rule, viewer: Viewer) -> RuleView:
    return RuleView.of(
        rule,
        id=str(rule.id),
        schedule_text=describe(rule.timing, viewer.lang),
        misfire=rule.misfire.value,
        overlap=rule.overlap.value,
    )


class RuleFilter(Filter):
    q: str | None = ask("A part of its name.", option="--find", default=None)
    is_active: bool | None = ask("Only those that are active, or paused.", option="--active/--paused", default=None)


class RuleToMake(Ask):
    """A script, a data source, or both. Callbacks are a list; one object alone is accepted."""

    name: str = ask("What people call it.", argument=True, metavar="NAME", rules=_NAME, example="Apple 주가 알림")
    schedule: str = ask(
        "Cron expression of five fields.", rules=Rules(min_length=9, max_length=200), example="*/5 * * * *"
    )
    zone: str = ask("Whose clock the schedule is read by.", example=ZONE, default=ZONE)
    payload: dict[str, Any] = ask(
        "What the script or the source is given, as JSON.",
        metavar="JSON",
        find=f"{FINDING}:read_object",
        read=f"{READINGS}:JsonObject",
        example={"ticker": "AAPL", "target": 200},
        default_factory=dict,
    )
    execution_script_path: str | None = ask(
        "Path of the script inside the repository.",
        option="--script",
        metavar="PATH",
        example="scripts/stock/check_price.py",
        default=None,
    )
    script_function: str | None = ask(
        "Of several functions of the script, the one of this name.",
        option="--function",
        metavar="NAME",
        rules=_NAME,
        example="stock/check_price",
        default=None,
    )
    fetch_before_run: bool = ask(
        "Whether a run uses the newest commit of the repository's remote.",
        option="--fetch/--no-fetch",
        example=False,
        default=False,
    )
    allow_network: bool = ask(
        "Whether the script may use the network; an administrator's to allow.",
        option="--network/--no-network",
        example=False,
        default=False,
    )
    read_folders: list[str] = ask(
        "Folders that the script may read, separated by commas; an administrator's to allow.",
        option="--read",
        metavar="FOLDERS",
        find=f"{FINDING}:read_folders",
        read=f"{READINGS}:Folders",
        example=[],
        default_factory=list,
    )
    write_folders: list[str] = ask(
        "Folders that the script may change, separated by commas; an administrator's to allow.",
        option="--write",
        metavar="FOLDERS",
        find=f"{FINDING}:read_folders",
        read=f"{READINGS}:Folders",
        example=[],
        default_factory=list,
    )
    artifact_days: int | None = ask(
        "Days that files of its runs are kept.",
        option="--keep-files",
        rules=Rules(ge=1, le=3650),
        example=None,
        default=None,
    )
    source: str | None = ask("Data source that is read before.", example="offline_quote", default=None)
    condition: dict[str, Any] | None = ask(
        "What must hold of the answer, as JSON.",
        metavar="JSON",
        find=f"{FINDING}:read_object",
        read=f"{READINGS}:JsonObject",
        example=_CONDITION,
        default=None,
    )
    on_success: list[dict[str, Any]] = ask(
        "Whom to tell when it succeeded, as JSON.",
        metavar="JSON",
        find=f"{FINDING}:read_callbacks",
        read=f"{READINGS}:Callbacks",
        example=[_TELEGRAM],
        default_factory=list,
    )
    on_failure: list[dict[str, Any]] = ask(
        "Whom to tell when it failed, as JSON.",
        metavar="JSON",
        find=f"{FINDING}:read_callbacks",
        read=f"{READINGS}:Callbacks",
        example=[{"type": "log", "config": {"level": "warning"}}],
        default_factory=list,
    )
    misfire: MisfirePolicy = ask(
        "What becomes of moments while nothing was running.", example="run_once", default=MisfirePolicy.RUN_ONCE
    )
    misfire_max: int | None = ask("Of run_all, how many at most.", rules=Rules(ge=1, le=1000), default=None)
    overlap: Overlap = ask("While the run before goes on.", example="skip", default=Overlap.SKIP)
    timeout_seconds: int = ask(
        "How long a run may take.", option="--timeout", rules=Rules(ge=1, le=86_400), example=300, default=300
    )
    max_attempts: int = ask(
        "How often a failed run is tried.", option="--attempts", rules=Rules(ge=1, le=100), example=3, default=1
    )
    retry_seconds: int = ask(
        "Seconds between attempts.", option="--retry", rules=Rules(ge=1, le=86_400), example=60, default=60
    )
    cooldown_seconds: int = ask(
        "Seconds before somebody is told again.",
        option="--cooldown",
        rules=Rules(ge=0, le=31_536_000),
        example=3600,
        default=0,
    )
    is_active: bool = ask("Whether it runs by itself.", option="--active/--paused", example=True, default=True)
    unit_id: int | None = ask(
        "Whose it is.", option="--org", metavar="UNIT", find=FIND_UNIT, rules=ROW_ID, example=3, default=None
    )


class _RuleToChange(RuleToMake):
    """Its name is an option: the argument of the command is the rule itself."""

    name: str = ask("What people call it.", rules=_NAME, example="Apple 주가 알림")


RuleChange = edit_of(_RuleToChange, "RuleChange", "JSON merge patch: only what is given changes.")


class RuleReason(Ask):
    reason: str | None = ask(
        "Why; kept in the history.", option="--message,-m", metavar="TEXT", example="On holiday.", default=None
    )


_COLUMNS = ("id", "name", "is_active", "schedule", "next_run_at", "unit_id")
RULE = Noun(
    "rule",
    "rules",
    AREA,
    RuleView,
    view=f"{__name__}:view_rule",
    find=f"{_STORE}:get_rule",
    hold=f"{_STORE}:hold_rule",
    named=f"{FINDING}:find_rule",
    reads_key=f"{READINGS}:RuleId",
    words=STATUS_WORDS,
    which="Its name, or its id.",
    get_help="Shows one rule.",
)
RULE.lists(
    "list_rules",
    "Lists rules, the newest first.",
    f"{ROWS}:list_rules",
    columns=_COLUMNS,
    empty=(
        "No rules. Example: pabal rule new NAME --schedule '0 8 * * *' --source news_summary --payload '{…}'",
        "룰이 없습니다. 예: pabal rule new 이름 --schedule '0 8 * * *' --source news_summary --payload '{…}'",
    ),
    wanted=RuleFilter,
    count=f"{ROWS}:count_rules",
)
RULE.verb("create", f"{_ACTIONS}:create_rule", "Makes a rule.", RuleToMake, makes=True, command="new")
RULE.verb("edit", f"{_ACTIONS}:edit_rule", "Changes only what is given.", RuleChange, method="PATCH")
RULE.verb("pause", f"{_ACTIONS}:pause_rule", "Pauses a rule. What runs goes on.", RuleReason)
RULE.verb("resume", f"{_ACTIONS}:resume_rule", "Lets a rule go on with its next moment.", RuleReason)
# their commands show the run that they begin
RULE.verb(
    "run",
    f"{_ACTIONS}:run_now",
    "Runs a rule now, also while it is paused. Answers its run, which waits for its turn.",
    status=202,
    shows=RuleExecutionView,
    view=f"{APP}.resources.runs:view_run",
    location="/rule-executions/{id}",
    in_commands=False,
)
RULE.verb(
    "dry-run",
    f"{_ACTIONS}:dry_run",
    "Tries a rule: nothing is sent, and what would have been sent is shown with its run.",
    operation="try_rule",
    status=202,
    shows=RuleExecutionView,
    view=f"{APP}.resources.runs:view_run",
    location="/rule-executions/{id}",
    in_commands=False,
)
RULE.verb(
    "delete",
    f"{_ACTIONS}:delete_rule",
    "Deletes a rule. Its runs stay until their time is over.",
    method="DELETE",
    answers_nothing=True,
    confirm=("Delete the rule?", "룰을 삭제할까요?"),
)
