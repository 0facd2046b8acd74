"""A delivery: one occurrence of a schedule, or one word of a person, on its way to a room. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from pabal.apps.messaging.model.content import IMAGES_1, IMAGES_2, TEXT, Content

ABOUT = "delivery"
SEND = "messaging.send"


def about_of(delivery_id: int) -> str:
    return f"{ABOUT}:{delivery_id}"


class DeliveryState(StrEnum):
    """Open: waits, or is being sent; where it is, its job says."""

    OPEN = "open"
    SENT = "sent"
    PARTIAL = "partial"
    FAILED = "failed"
    UNKNOWN = "unknown"
    MISSED = "missed"


class Cause(StrEnum):
    SCHEDULE = "schedule"
    NOW = "now"
    TEST = "test"


class PartState(StrEnum):
    """Writing: its first byte may be out, its last may not. Written: the phone has not said yet that it handled it.

    Found so afterwards, either is unknown. Handled: the phone answered the ping behind it. Seen: the bot reported it in
    its room.
    """

    PLANNED = "planned"
    WRITING = "writing"
    WRITTEN = "written"
    HANDLED = "handled"
    SEEN = "seen"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class DeliveryPart:
    """`receipt`: its phone was asked to confirm it, as all have been since receipts."""

    delivery_id: int
    no: int
    component: str
    from_image: int
    to_image: int
    state: PartState
    token: int | None
    began_at: datetime | None
    written_at: datetime | None
    resent: int
    receipt: bool = False
    handled_at: datetime | None = None
    seen_at: datetime | None = None

    @property
    def is_out(self) -> bool:
        """Confirmed; or written before phones were asked, which counts as it did then."""
        is_confirmed = self.state in (PartState.HANDLED, PartState.SEEN)
        return is_confirmed or (self.state is PartState.WRITTEN and not self.receipt)

    @property
    def is_begun(self) -> bool:
        """Of which nobody can say yet what became of it."""
        return self.state is PartState.WRITING or (self.state is PartState.WRITTEN and self.receipt)

    @property
    def is_cut(self) -> bool:
        """Unknown, and perhaps not even whole: a phone may post half of it."""
        return self.state is PartState.UNKNOWN and self.written_at is None


@dataclass(frozen=True, slots=True)
class Delivery:
    """`place` is where its job is while it is open: waiting_for_bot, wrong_secret, queued, deferred, held, retrying or
    sending."""

    id: int
    unit_id: int
    state: str
    version: int
    schedule_id: int
    schedule_title: str
    room_id: int
    room_name: str
    channel_id: str
    bot_id: int
    bot_name: str
    scheduled_at: datetime
    cause: str
    asked_by: str | None
    is_catch_up: bool
    job_id: int | None
    attempts: int
    content: Content
    image_mode: str
    template_id: int | None
    started_at: datetime | None
    ended_at: datetime | None
    duration_ms: int | None
    reason: str | None
    detail: dict[str, Any]
    deferred_by: str | None
    deferred_until: datetime | None
    created_at: datetime
    bulk_id: int | None = None
    parts: tuple[DeliveryPart, ...] = ()
    place: str | None = None

    @property
    def about(self) -> str:
        return about_of(self.id)

    @property
    def is_test(self) -> bool:
        return self.cause == Cause.TEST


@dataclass(frozen=True, slots=True)
class OpenSend:
    """A send under way. `delivery_id` None: nobody has taken it yet. `until`: when a deferred one is tried again."""

    job_id: int | None
    delivery_id: int | None
    unit_id: int
    schedule_id: int
    schedule_title: str
    room_id: int
    room_name: str
    bot_id: int
    bot_name: str
    scheduled_at: datetime
    cause: str
    deferred_by: str | None
    until: datetime | None
    parts: int
    written: int
    place: str


@dataclass(frozen=True, slots=True)
class Recent:
    """`verdict` is the seed's: not_sent, retry_needed or sent."""

    schedule_id: int
    unit_id: int
    schedule_title: str
    scheduled_at: datetime
    delivery_id: int | None
    state: str | None
    reason: str | None
    verdict: str


@dataclass(frozen=True, slots=True)
class Tally:
    """How far a component is: for the chips of the log (글 ✓ · 그림1 3/3 ✓ · 그림2 ✕).

    `written` are out: confirmed by the phone, as `handled` are, or sent before phones were asked.
    """

    component: str
    written: int
    handled: int
    unknown: int
    total: int

    @property
    def state(self) -> str:
        if self.written == self.total:
            return "handled" if self.handled == self.total else "written"
        return "unknown" if self.unknown else "partial" if self.written else "planned"

    @property
    def is_out(self) -> bool:
        return self.written == self.total


def tally(parts: Sequence[DeliveryPart]) -> list[Tally]:
    """In the order of sending. A text counts one, a group its images."""
    order = list(dict.fromkeys(part.component for part in parts))
    return [_tally(name, [part for part in parts if part.component == name]) for name in order]


def _tally(component: str, parts: Sequence[DeliveryPart]) -> Tally:
    out = [part for part in parts if part.is_out]
    handled = [part for part in out if part.state is not PartState.WRITTEN]
    unknown = [part for part in parts if part.state is PartState.UNKNOWN]
    return Tally(component, *(sum(map(_size, some)) for some in (out, handled, unknown, parts)))


def _size(part: DeliveryPart) -> int:
    return max(1, part.to_image - part.from_image)


def show_components(parts: Sequence[DeliveryPart]) -> str:
    """The seed's send_components: which were really sent, whole or in part."""
    sent = [each.component for each in tally(parts) if each.written]
    return ",".join(name for name in (TEXT, IMAGES_1, IMAGES_2) if name in sent)


@dataclass(frozen=True, slots=True)
class Archive:
    """Holds its month as it was at `made_at`."""

    month: date
    file_id: int
    deliveries: int
    made_at: datetime
