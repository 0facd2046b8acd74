"""What became of each try by webhook or e-mail, what a channel has failed lately, and what is sent again."""

from dataclasses import dataclass, field
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform.notifications.model import Document, Message

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Attempt:
    """Without a status there was no answer."""

    number: int
    at: datetime
    status: int | None
    reason: str
    ms: int


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A delivery by webhook or e-mail and its channel, as one attempt sees them."""

    id: int
    channel_id: int
    kind: str
    is_test: bool
    text: str
    link: str | None
    document: Document | None
    replay_of: int | None
    attempts: int
    address: str = field(repr=False)
    sealed_token: str = field(repr=False)
    sealed_before: str | None = field(repr=False)
    is_open: bool


@dataclass(frozen=True, slots=True)
class Trouble:
    """How many attempts in a row have failed now, and since when."""

    failures: int
    failing_since: datetime


async def find_outgoing(tx: Tx, delivery_id: int) -> Outgoing | None:
    rows = await tx.rows(SQL.find_outgoing, id=delivery_id, now=tx.now)
    if not rows:
        return None
    fields = dict(rows[0])
    key, name = fields.pop("document_key"), fields.pop("document_name")
    return Outgoing(**fields, document=None if key is None else Document(key, name))


async def insert_attempt(tx: Tx, delivery_id: int, *, status: int | None, reason: str, ms: int) -> None:
    await tx.run(SQL.insert_attempt, delivery_id=delivery_id, status=status, reason=reason, ms=ms, now=tx.now)


async def list_attempts(tx: Tx, delivery_id: int) -> list[Attempt]:
    return await tx.all(Attempt, SQL.list_attempts, delivery_id=delivery_id)


async def note_failure(tx: Tx, channel_id: int, error: str) -> Trouble | None:
    """None when the channel is gone."""
    return await tx.one(Trouble, SQL.note_failure, id=channel_id, error=error, now=tx.now)


async def pause_channel(tx: Tx, channel_id: int, address: str) -> bool:
    """False when it was already, or leads elsewhere by now."""
    return await tx.run(SQL.pause_channel, id=channel_id, address=address, now=tx.now) > 0


async def insert_missed(tx: Tx, channel_id: int, message: Message, reason: str) -> int:
    """What was not even tried, so that it can be sent again."""
    document = message.document
    made: int = await tx.value(
        SQL.insert_missed,
        channel_id=channel_id,
        notification_id=message.notification_id,
        text=message.text,
        link=message.link,
        document_key=document and document.key,
        document_name=document and document.name,
        detail=reason,
        now=tx.now,
    )
    return made


@dataclass(frozen=True, slots=True)
class Said:
    """A delivery that has ended, as it is said again."""

    id: int
    first_id: int
    notification_id: int | None
    text: str
    link: str | None
    document_key: str | None
    document_name: str | None
    is_call: bool
    is_open: bool

    @property
    def message(self) -> Message:
        document = None if self.document_key is None else Document(self.document_key, self.document_name or "")
        return Message(
            self.text, self.link, document, self.notification_id, is_call=self.is_call, replay_of=self.first_id
        )


async def find_said(tx: Tx, channel_id: int, delivery_id: int) -> Said | None:
    return await tx.one(Said, SQL.find_said, channel_id=channel_id, id=delivery_id)


async def list_said(tx: Tx, channel_id: int, since: datetime, *, also_sent: bool, limit: int) -> list[Said]:
    """Each thing once, the oldest first: not what has arrived by now, is on its way, or was a test."""
    return await tx.all(Said, SQL.list_said, channel_id=channel_id, since=since, also_sent=also_sent, most=limit)
