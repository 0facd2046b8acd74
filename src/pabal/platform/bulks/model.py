"""A bulk: one verb on many rows, what became of each, and why it may be refused."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pabal.base.errors import Conflict, Invalid, NotFound, PabalError
from pabal.engine import ids
from pabal.platform.language.pairs import Lang
from pabal.platform.resources import Many, Noun, read_plain
from pabal.platform.resources.bulks import PREFIX

# so many are done in the transaction that asks for them; more are durable work
AT_ONCE = 50
# so many are tried to say beforehand which cannot and why
LOOKED_AT = 200
MOST = 10_000
State = Literal["running", "done", "partial", "failed"]

# What descriptions are handed by name: `("vault",) -> {"vault": …}`
Hands = Callable[[Sequence[str]], Mapping[str, Any]]


class BulkNotFound(NotFound, code="bulk_not_found"):
    """There is no such bulk, or it is somebody else's."""


class NothingChosen(Invalid, code="nothing_chosen"):
    """Nothing is chosen: no rows are named, or the filter holds none."""


class BulkTooLarge(Invalid, code="bulk_too_large"):
    """At most 10,000 rows at once. Narrow the filter, or do it in parts."""


class BulkChanged(Conflict, code="bulk_changed"):
    """The filter holds another number of rows than when you looked. Look again."""


class VerbNotForMany(Invalid, code="verb_not_for_many"):
    """This verb does not work on many rows of this list."""


class BulkNotUndoable(Conflict, code="bulk_not_undoable"):
    """This cannot be taken back: its verb has no way back, it was done to no row, or it was taken back already."""


class AlreadySo(Conflict, code="already_so"):
    """It was so already; nothing was changed."""


class BulkRunning(Conflict, code="bulk_running"):
    """It is still running. Take it back when it has ended."""


@dataclass(frozen=True, slots=True)
class Bulk:
    """`undone_by` is the bulk that took it back."""

    id: int
    noun: str
    verb: str
    said: dict[str, Any]
    actor: str
    lang: Lang
    total: int
    done: int
    refused: int
    undoes: int | None
    undone_by: int | None
    made_at: datetime
    ended_at: datetime | None

    @property
    def shown_id(self) -> str:
        return ids.show(PREFIX, self.id)

    @property
    def waiting(self) -> int:
        return self.total - self.done - self.refused

    @property
    def state(self) -> State:
        if self.ended_at is None:
            return "running"
        if not self.refused:
            return "done"
        return "partial" if self.done else "failed"


@dataclass(frozen=True, slots=True)
class BulkRow:
    """`key` is the row's id as REST names it. `why` is in the language of who asked."""

    bulk_id: int
    place: int
    key: str
    result: str | None
    title: str | None = None
    code: str | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be done to many: which verb of which noun, and what is said to each row, as JSON has it."""

    name: str
    noun: Noun
    many: Many
    said: Mapping[str, Any]

    @property
    def arguments(self) -> dict[str, Any]:
        """What the action is called with, by name."""
        made = read_plain(self.many.asks, self.said)
        return {} if made is None else made.arguments()


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of one row, or would: `error` is why nothing was done."""

    key: str
    title: str | None
    error: PabalError | None


@dataclass(frozen=True, slots=True)
class Preview:
    """`looked_at`: the rows that were tried and taken back, the first of `total`."""

    total: int
    looked_at: list[Ended]

    @property
    def refused(self) -> list[Ended]:
        return [one for one in self.looked_at if one.error is not None]

    @property
    def is_whole(self) -> bool:
        return len(self.looked_at) == self.total
