"""What happens right now, for people: recent messages, figures, who waits for somebody, what was paid for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from pabal.apps.relay.model.messages import OPEN, End, MessageState, Reply, ReplyState
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform.tenants import Scope

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class RecentMessage:
    """`reply_state` and `replied_at` are of its last answer. `total` is how many there are, listed or not."""

    id: int
    uid: UUID
    state: MessageState
    account_id: UUID
    account_name: str
    conversation_id: int
    conversation_key: str
    text: str
    answer_by: datetime
    created_at: datetime
    delivered_at: datetime | None
    handed_out: int
    answered_at: datetime | None
    acked_at: datetime | None
    end_reason: End | None
    is_replay: bool
    is_question: bool
    reply_state: ReplyState | None
    replied_at: datetime | None
    total: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", MessageState(self.state))
        object.__setattr__(self, "end_reason", None if self.end_reason is None else End(self.end_reason))
        object.__setattr__(self, "reply_state", None if self.reply_state is None else ReplyState(self.reply_state))

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def is_late(self) -> bool:
        """Its answer came after its time, and waits for the user's next message."""
        return self.state is MessageState.EXPIRED and self.reply_state is ReplyState.DEFERRED

    @property
    def life(self) -> timedelta:
        """How long an answer was or is waited for."""
        return self.answer_by - self.created_at


@dataclass(frozen=True, slots=True)
class Figures:
    """`kept` are late answers that wait for their user's next message."""

    waiting: int
    oldest_unread_at: datetime | None
    median_seconds: float | None
    answered: int
    ended: int
    failed: int
    kept: int


@dataclass(frozen=True, slots=True)
class FailedMessage:
    id: int
    uid: UUID
    account_name: str
    text: str
    end_reason: End
    at: datetime

    def __post_init__(self) -> None:
        object.__setattr__(self, "end_reason", End(self.end_reason))


@dataclass(frozen=True, slots=True)
class AsleepAccount:
    id: UUID
    name: str
    asleep_at: datetime
    users: int


@dataclass(frozen=True, slots=True)
class Guessing:
    """A user whose codes are not looked at for a while: too many wrong ones."""

    id: int
    conversation_key: str
    state: str
    blocked_until: datetime
    last_seen_at: datetime
    total: int


async def list_recent(
    tx: Tx, scope: Scope, *, since: datetime, states: Sequence[str] | None, account_id: UUID | None, most: int
) -> list[RecentMessage]:
    given = {"states": list(states) if states else None, "account_id": account_id}
    return await tx.all(RecentMessage, SQL.list_recent, units=scope.listed, **given, since=since, most=most)


async def read_figures(tx: Tx, scope: Scope, *, since: datetime, failed_since: datetime) -> Figures:
    given = {"units": scope.listed, "since": since, "failed_since": failed_since, "now": tx.now}
    return await tx.one(Figures, SQL.read_figures, **given) or Figures(0, None, None, 0, 0, 0, 0)


async def list_last_ends(tx: Tx, scope: Scope, since: datetime, *, most: int) -> list[str]:
    """Newest first."""
    rows = await tx.rows(SQL.list_last_ends, units=scope.listed, since=since, most=most)
    return [row["state"] for row in rows]


async def list_failed(tx: Tx, scope: Scope, since: datetime, *, most: int) -> list[FailedMessage]:
    return await tx.all(FailedMessage, SQL.list_failed, units=scope.listed, since=since, most=most)


async def list_asleep(tx: Tx, scope: Scope, *, most: int) -> list[AsleepAccount]:
    return await tx.all(AsleepAccount, SQL.list_asleep, units=scope.listed, most=most)


async def count_pending(tx: Tx, scope: Scope) -> int:
    count: int = await tx.value(SQL.count_pending, units=scope.listed)
    return count


async def list_guessing(tx: Tx, scope: Scope, *, most: int) -> list[Guessing]:
    return await tx.all(Guessing, SQL.list_guessing, units=scope.listed, now=tx.now, most=most)


async def count_pushed(tx: Tx, scope: Scope, since: datetime, *, account_id: UUID | None = None) -> int:
    count: int = await tx.value(SQL.count_pushed, units=scope.listed, account_id=account_id, since=since)
    return count


async def list_carried(tx: Tx, message_id: int) -> list[Reply]:
    return await tx.all(Reply, SQL.list_carried, message_id=message_id)


async def count_ends(tx: Tx, scope: Scope, since: datetime) -> dict[str, int]:
    """By state, those that still wait too."""
    rows = await tx.rows(SQL.count_ends, units=scope.listed, since=since)
    return {row["state"]: row["count"] for row in rows}


async def read_oldest_unread(tx: Tx) -> dict[int, float]:
    """For each unit how long its oldest message waits to be read, in seconds."""
    rows = await tx.rows(SQL.read_oldest_unread)
    return {row["unit_id"]: row["seconds"] for row in rows if row["unit_id"] is not None}


async def count_failed(tx: Tx, since: datetime) -> dict[int, float]:
    """For each unit the answers that did not reach Kakao, or of which nobody knows."""
    rows = await tx.rows(SQL.count_failed, since=since)
    return {row["unit_id"]: row["count"] for row in rows if row["unit_id"] is not None}


async def count_asleep(tx: Tx) -> dict[int, float]:
    """For each unit its accounts that somebody wrote to and nobody reads."""
    return {row["unit_id"]: row["count"] for row in await tx.rows(SQL.count_asleep)}


async def count_guessing(tx: Tx) -> int:
    count: int = await tx.value(SQL.count_guessing, now=tx.now)
    return count
