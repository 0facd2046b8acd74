"""A run that brings old ad groups over, a row of it, and what may be said of either."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pabal.apps.adgroups.model.adgroups import State

COLUMNS = (
    *("id", "name", "campaign", "start_at", "end_at", "ready_at", "ready_confirmed_at", "deleted_at", "status"),
    *("daily_start_time", "daily_end_time", "zone", "creatives", "inventory"),
)
NEEDED = ("id", "campaign", "start_at", "end_at")


class RunState(StrEnum):
    PLANNED = "planned"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    ROLLING_BACK = "rolling_back"
    ROLLED_BACK = "rolled_back"


class Mode(StrEnum):
    """All or nothing in one commit, or a commit and a checkpoint for each batch."""

    ONE_TRANSACTION = "one_transaction"
    BATCHES = "batches"


class Outcome(StrEnum):
    MADE = "made"
    CHANGED = "changed"
    SAME = "same"
    REFUSED = "refused"
    REMOVED = "removed"
    RESTORED = "restored"
    KEPT = "kept"


class Mark(StrEnum):
    """What somebody should look at. The row is brought over all the same."""

    RUNNING_UNCONFIRMED = "running_unconfirmed"
    WAS_PAUSED = "was_paused"
    STATUS_DIFFERS = "status_differs"
    NAME_CUT = "name_cut"
    CREATIVES_NOT_LISTED = "creatives_not_listed"
    BAD_INVENTORY = "bad_inventory"


class FlagKind(StrEnum):
    """In the order they are asked; the first that is set decides. Of the last two either is enough."""

    ID = "id"
    CAMPAIGN = "campaign"
    PERCENT = "percent"
    NEW = "new"


class Cause(StrEnum):
    """Why the calculator and the machine differ."""

    DAILY_HOURS = "daily_hours"
    START_MOMENT = "start_moment"
    START_HELD = "start_held"
    END_MOMENT = "end_moment"
    PAUSED_BY_HAND = "paused_by_hand"
    NEVER_APPROVED = "never_approved"
    DATE_PASSED = "date_passed"
    DATES_CHANGED = "dates_changed"
    DELETED_THERE = "deleted_there"
    UNKNOWN = "unknown"


class Refusal(StrEnum):
    """Why a row stays where it is."""

    NO_ID = "no_id"
    DUPLICATE_ID = "duplicate_id"
    NO_CAMPAIGN = "no_campaign"
    NO_DATES = "no_dates"
    BAD_MOMENT = "bad_moment"
    END_BEFORE_START = "end_before_start"
    BAD_HOURS = "bad_hours"
    BAD_ZONE = "bad_zone"
    TAKEN = "taken"


@dataclass(frozen=True, slots=True)
class FromFile:
    """A CSV that was uploaded."""

    file_id: int


@dataclass(frozen=True, slots=True)
class FromTable:
    """The table legacy_ad_groups of the same database, with the columns of the CSV."""


Origin = FromFile | FromTable


@dataclass(frozen=True, slots=True)
class Run:
    """`states`, `marks` and `refusals` count what the dry run found; `counts` what was done since."""

    id: int
    unit_id: int
    state: RunState
    mode: Mode | None
    source: str
    file_id: int | None
    plan_file_id: int | None
    report_file_id: int | None
    rows: int
    checkpoint: int
    counts: dict[str, int]
    states: dict[str, int]
    marks: dict[str, int]
    refusals: dict[str, int]
    even_touched: bool
    error: str | None
    created_by: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    rolled_back_at: datetime | None

    @property
    def about(self) -> str:
        return about_run(self.id)


@dataclass(frozen=True, slots=True)
class Row:
    """One old ad group, as it was read, what it would be, and what became of it."""

    n: int
    legacy_id: str | None
    name: str | None
    campaign: str | None
    start_at: datetime | None
    end_at: datetime | None
    old_status: str | None
    calculated: str | None
    state: State | None
    marks: list[str]
    refusal: str | None
    problem: str | None
    outcome: Outcome | None
    ad_group_id: int | None


def about_run(run_id: int) -> str:
    return f"legacy_run:{run_id}"
