"""Rules and their runs, as everybody in the app sees them. Pure."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from pabal.engine.misfires import Misfire, Overlap
from pabal.engine.recurrence import Cron, Timing

AREA = "rules"
RULE_ABOUT, RUN_ABOUT = "rule", "rule_run"
# the kind of an engine job that is one run
RUN = "rules.run"
LONGEST_NAME = 200
LONGEST_SUMMARY = 500
LONGEST_LOG = 64 * 1024
LARGEST_PAYLOAD = 64 * 1024
ZONE = "Asia/Seoul"


class RuleState(StrEnum):
    ACTIVE = "active"
    PAUSED = "paused"
    DELETED = "deleted"


class RuleRunState(StrEnum):
    """The seed's three. `RunReason` says more."""

    RUNNING = "running"
    SUCCESS = "success"
    FAILURE = "failure"


class RunReason(StrEnum):
    """Why a run is where it is, where its state alone does not say it."""

    WAITING = "waiting"
    RETRYING = "retrying"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    SKIPPED_OVERLAP = "skipped_overlap"
    MISSED = "missed"
    INTERRUPTED = "interrupted"
    SCRIPT_FAILED = "script_failed"
    SCRIPTS_OFF = "scripts_off"
    SOURCE_FAILED = "source_failed"
    FILES_NOT_KEPT = "files_not_kept"
    NOT_ALLOWED = "not_allowed"
    # of scripts, under the names their room gives them
    RAISED = "raised"
    BAD_RETURN = "bad_return"
    CRASHED = "crashed"
    MEMORY = "memory"
    OUTPUT_TOO_LARGE = "output_too_large"
    SCRIPT_MISSING = "script_missing"
    FUNCTION_MISSING = "function_missing"
    METADATA_BROKEN = "metadata_broken"
    ENVIRONMENT_NOT_READY = "environment_not_ready"
    GIT_FAILED = "git_failed"


class Trigger(StrEnum):
    SCHEDULE = "schedule"
    MANUAL = "manual"
    DRY_RUN = "dry_run"


class MisfirePolicy(StrEnum):
    """What becomes of moments at which nothing was running, as on a machine that is off at night."""

    RUN_ONCE = "run_once"
    SKIP = "skip"
    RUN_ALL = "run_all"


MISFIRES = {
    MisfirePolicy.RUN_ONCE: Misfire.LATEST,
    MisfirePolicy.SKIP: Misfire.SKIP,
    MisfirePolicy.RUN_ALL: Misfire.ALL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleForm:
    """What a person says of a rule. The defaults are those of a new one."""

    name: str
    schedule: str
    zone: str = ZONE
    payload: dict[str, Any] = field(default_factory=dict)
    execution_script_path: str | None = None
    # of several functions of the script, the one of this name
    script_function: str | None = None
    fetch_before_run: bool = False
    allow_network: bool = False
    read_folders: list[str] = field(default_factory=list)
    write_folders: list[str] = field(default_factory=list)
    # how long files of its runs are kept; None: as long as the setting says
    artifact_days: int | None = None
    source: str | None = None
    condition: dict[str, Any] | None = None
    on_success: list[dict[str, Any]] = field(default_factory=list)
    on_failure: list[dict[str, Any]] = field(default_factory=list)
    misfire: MisfirePolicy = MisfirePolicy.RUN_ONCE
    misfire_max: int | None = None
    overlap: Overlap = Overlap.SKIP
    timeout_seconds: int = 300
    max_attempts: int = 1
    retry_seconds: int = 60
    cooldown_seconds: int = 0

    @property
    def timing(self) -> Timing:
        """Raises where the expression or the zone cannot be read."""
        return Timing(Cron(self.schedule), self.zone)

    @property
    def script_rights(self) -> tuple[bool, frozenset[str], frozenset[str]]:
        """What its script may reach besides its own folder: the network, folders to read, folders to write."""
        return self.allow_network, frozenset(self.read_folders), frozenset(self.write_folders)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(RuleForm):
    """`id` is what people and programs know it by, `number` what its machine does. `last_met` is what its condition
    last said, `told_at` when somebody was last told so. `next_run_at`: while it is paused, when it would run."""

    id: UUID
    number: int
    unit_id: int
    state: RuleState
    version: int
    timetable_id: int | None
    last_met: bool | None
    told_at: datetime | None
    created_at: datetime
    created_by: str
    updated_at: datetime
    next_run_at: datetime | None = None
    # the bars of the list, newest last: 7 success, x failure, m not run
    recent: str = ""

    def __post_init__(self) -> None:
        for name, kind in (("state", RuleState), ("misfire", MisfirePolicy), ("overlap", Overlap)):
            object.__setattr__(self, name, kind(getattr(self, name)))

    @property
    def is_active(self) -> bool:
        return self.state is RuleState.ACTIVE

    @property
    def about(self) -> str:
        return f"{RULE_ABOUT}:{self.number}"

    @property
    def timeout(self) -> timedelta:
        return timedelta(seconds=self.timeout_seconds)

    @property
    def cooldown(self) -> timedelta:
        return timedelta(seconds=self.cooldown_seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One row of rule_executions. `scheduled_at` is the moment it stands for, `count` how many when they were missed.

    `captured` is what it sent, or with `is_dry` would have sent; `checks` what its condition compared. `dirty` are
    uncommitted files that ran, with their SHA-256; `artifacts` are files that it made, kept until `artifacts_until`
    or as long as the run; `artifacts_gone` is how many of them have gone.
    """

    id: UUID
    number: int
    rule_id: UUID
    rule_number: int
    rule_name: str
    unit_id: int
    state: RuleRunState
    version: int
    reason: RunReason | None = None
    trigger: Trigger
    is_dry: bool
    scheduled_at: datetime
    executed_at: datetime
    finished_at: datetime | None = None
    exit_code: int | None = None
    attempt: int
    commit: str | None = None
    is_dirty: bool = False
    dirty: dict[str, str] = field(default_factory=dict)
    log_summary: str = ""
    log: str = field(default="", repr=False)
    artifact_path: str | None = None
    artifacts: list[dict[str, Any]] = field(default_factory=list)
    artifacts_until: datetime | None = None
    artifacts_gone: int = 0
    data: dict[str, Any] | None = field(default=None, repr=False)
    met: bool | None = None
    checks: list[dict[str, Any]] = field(default_factory=list)
    captured: list[dict[str, Any]] = field(default_factory=list)
    tokens: int = 0
    cost: float = 0.0
    count: int = 1
    work_id: int | None
    requested_by: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", RuleRunState(self.state))
        object.__setattr__(self, "trigger", Trigger(self.trigger))
        object.__setattr__(self, "reason", None if self.reason is None else RunReason(self.reason))

    @property
    def about(self) -> str:
        return f"{RUN_ABOUT}:{self.number}"

    @property
    def is_open(self) -> bool:
        return self.state is RuleRunState.RUNNING
