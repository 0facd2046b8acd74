"""How a simulated channel and a simulated instance are to be, and how they are to misbehave."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pabal.apps.relay.simulator.journal import JournalEntry

# What an instance answers: a text, or a skill response as it is.
InstanceReply = str | dict[str, Any]


@dataclass(frozen=True)
class CallbackBehaviour:
    """How Kakao answers a callback or an event that it could take. What it answers slowly is shown at once; `die`
    closes the connection without an answer, `error` is HTTP 500; what is refused, dies or errs is not shown."""

    slow: float = 0.0
    refuse: bool = False
    die: bool = False
    error: bool = False


@dataclass(frozen=True)
class ChannelOptions:
    """`holds_overtaking`: a callback that overtakes the webhook's answer waits for it and is not refused.
    `rest_key` empty: any key may send events. `tell` hears of every entry of the journal."""

    port: int = 0
    path: str = "/kakao/webhook"
    secret: str = field(default="", repr=False)
    secret_header: str = "X-Relay-Secret"  # noqa: S105 -- the name of a header
    rest_key: str = field(default="", repr=False)
    limit_seconds: float = 5.0
    life_seconds: float = 60.0
    fail_status: int = 200
    holds_overtaking: bool = False
    behaviour: CallbackBehaviour = CallbackBehaviour()
    log: Path | None = None
    tell: "Callable[[JournalEntry], None] | None" = field(default=None, repr=False)


class ReadingMode(StrEnum):
    SSE = "sse"
    POLL = "poll"


class InstanceBehaviour(StrEnum):
    ECHO = "echo"  # answers at once with the same text
    SLOW = "slow"  # the same, after `delay`
    NEVER = "never"
    CRASH = "crash"  # dies when it gets a message for the first time, and comes back with no memory of where it was
    PIECES = "pieces"  # several replies to each message


@dataclass(frozen=True)
class InstanceOptions:
    """`answer` is asked instead of the behaviour's own words, and `delay` seconds pass before them when it is slow.
    `backoff_ms` is doubled before it is first used; after `most_attempts` failures in a row an instance gives up."""

    mode: ReadingMode = ReadingMode.SSE
    behaviour: InstanceBehaviour = InstanceBehaviour.ECHO
    answer: Callable[[str], list[InstanceReply]] | None = field(default=None, repr=False)
    delay: float = 10.0
    pieces: int = 3
    names_conversation: bool = False
    wait: float = 25.0
    limit: int = 20
    status_seconds: float = 5.0
    backoff_ms: float = 1000.0
    backoff_most_ms: float = 30_000.0
    most_attempts: int | None = 10
    log: Path | None = None
    tell: "Callable[[JournalEntry], None] | None" = field(default=None, repr=False)
