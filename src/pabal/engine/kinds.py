"""The kinds of work a process knows: for each name its handler and how it is to be run."""

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Sequence, Set
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal, Protocol, TypeVar

from pabal.base.clock import elapsed
from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.base.telemetry import declare, emit
from pabal.engine.outcome import Outcome, check_size
from pabal.engine.retry import Backoff

NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")
# what stands before the colon in the names of shared lanes
FAMILY = re.compile(r"[a-z][a-z0-9_-]*")
# what a server has and work may need: gpu, nas
LABEL = re.compile(r"[a-z][a-z0-9_-]*")
WIDEST = 1000
F = TypeVar("F", bound=Callable[..., Any])

declare("kinds.give_up_failed", "Handlers whose give_up raised; the job ended without it", labels=("kind",), level=40)


class BadKind(Invalid, code="bad_kind"):
    """A kind is named area.thing_to_do in small letters, once, and has one handler."""


def kind_of(queue: str) -> str:
    """A queue of jobs that need a label is named `kind@label`; all others have their kind's name."""
    return queue.partition("@")[0]


class Stop(StrEnum):
    """Why a running attempt must stop. A lost route counts as a lost lease: the job is no longer this attempt's."""

    CANCEL = "cancel"
    DEADLINE = "deadline"
    STALL = "stall"
    LEASE_LOST = "lease_lost"
    SHUTDOWN = "shutdown"


class Saving(Future[None]):
    """A checkpoint on its way: `await` it in a coroutine, `result()` it in a thread; both raise if the job was lost."""

    def __await__(self) -> Generator[Any, None, None]:
        return asyncio.wrap_future(self).__await__()


class Noted:
    """Awaitable, so that coroutines may await what takes no time."""

    def __await__(self) -> Generator[Any, None, None]:
        yield from ()


@dataclass(frozen=True, slots=True)
class Report:
    """What an attempt reported and nobody has written yet, and who waits for it to be kept."""

    progress: dict[str, Any] | None = None
    checkpoint: dict[str, Any] | None = None
    saving: tuple[Saving, ...] = ()

    def add(self, newer: "Report") -> "Report":
        return Report(
            self.progress if newer.progress is None else newer.progress,
            self.checkpoint if newer.checkpoint is None else newer.checkpoint,
            (*self.saving, *newer.saving),
        )

    def answer(self, error: Exception | None = None) -> None:
        for one in self.saving:
            if not one.done():
                one.set_result(None) if error is None else one.set_exception(error)


class Reporter(Protocol):
    def report(self, job: "Job", report: Report) -> None:
        """From any thread."""

    def told(self, job: "Job", stop: Stop) -> None: ...


@dataclass(slots=True)
class Job:
    """One attempt at a job, as its handler sees it. The token fences every write of it.

    `progress` and `checkpoint` are what attempts before it reported last; `stop` is why it must stop, once it must.
    """

    id: int
    token: int
    kind: str
    args: dict[str, Any]
    queue: str
    lane: str | None
    about: str | None
    unit_id: int | None
    failures: int
    recoveries: int
    snoozes: int
    max_failures: int
    max_recoveries: int
    deadline: timedelta | None
    route_epoch: int | None
    records_end: bool = False
    reported: dict[str, Any] | None = field(default=None, repr=False)
    reporter: Reporter | None = field(default=None, repr=False, compare=False)
    # its turn in the queue, which it keeps when it is handed back before it began
    priority: int = field(default=0, repr=False, compare=False)
    ready_at: datetime | None = field(default=None, repr=False, compare=False)
    stop: Stop | None = field(default=None, compare=False)
    on_stop: Callable[[Stop], None] | None = field(default=None, repr=False, compare=False)
    unwritten: Report | None = field(default=None, repr=False, compare=False)
    has_reported: bool = field(default=False, repr=False, compare=False)
    reported_at: float = field(default=0.0, repr=False, compare=False)
    # from here on what is unwritten is written with its end
    is_performed: bool = field(default=False, repr=False, compare=False)
    # what was prepared in the commit that enqueued it (headstart.py)
    begun: tuple[Any] | None = field(default=None, repr=False, compare=False)

    @property
    def attempt(self) -> int:
        return self.failures + 1

    @property
    def key(self) -> tuple[int, int]:
        """A job may come back while an older attempt at it is still on its way out: only both name one."""
        return self.id, self.token

    @property
    def may_have_reported(self) -> bool:
        """This attempt, or one before it."""
        return self.has_reported or self.token > 1

    @property
    def progress(self) -> dict[str, Any] | None:
        return (self.reported or {}).get("progress")

    @property
    def checkpoint(self) -> dict[str, Any] | None:
        return (self.reported or {}).get("checkpoint")

    def report(self, progress: dict[str, Any]) -> Noted:
        """Shows how far it is, and that it is not stuck; written twice a second at most. A `percent` makes a bar."""
        check_size(progress)
        self._hand_over(Report(progress))
        return Noted()

    def save(self, checkpoint: dict[str, Any]) -> Saving:
        """Keeps what the next attempt needs to go on from here: once awaited, it is committed."""
        check_size(checkpoint)
        saving = Saving()
        self._hand_over(Report(checkpoint=checkpoint, saving=(saving,)))
        return saving

    def keep(self, report: Report) -> None:
        """Until it is written: by its server's loop, or with the end of the attempt."""
        self.reported_at = elapsed()
        self.unwritten = report if self.unwritten is None else self.unwritten.add(report)
        if report.checkpoint is not None:
            self.reported = {"progress": self.progress, "checkpoint": report.checkpoint}

    def _hand_over(self, report: Report) -> None:
        if self.reporter is not None:
            self.reporter.report(self, report)
        else:
            self.keep(report)
            report.answer()

    def tell(self, stop: Stop) -> None:
        """A stopping server says so before it insists, so that anything else said later counts more."""
        if self.stop in (None, Stop.SHUTDOWN):
            self.stop = stop
            if self.reporter is not None:
                self.reporter.told(self, stop)
            if self.on_stop is not None:
                self.on_stop(stop)


class Shape(StrEnum):
    """How a handler is run, which is a promise: see docs/engine/runner.md."""

    PLAIN = "plain"
    STEPS = "steps"
    INSIDE = "inside"


class Steps(Protocol):
    """Talks to the world: prepare in a transaction, perform with none open, record in a transaction.

    One that also has `finish` may end without one (finishing.py).
    """

    async def prepare(self, tx: Tx, job: Job) -> Any: ...
    async def perform(self, job: Job, prepared: Any) -> Any: ...
    async def record(self, tx: Tx, prepared: Any, result: Any) -> Outcome: ...
    async def give_up(self, tx: Tx, job: Job, reason: str) -> None: ...


class SharedSteps(Protocol):
    """Steps of attempts that share their transactions; each method answers in the order it was given.

    Whoever raises spoils it for all, and then each is asked alone.
    """

    async def prepare_all(self, tx: Tx, jobs: Sequence[Job]) -> Sequence[Any]: ...
    async def perform(self, job: Job, prepared: Any) -> Any: ...
    async def record_all(self, tx: Tx, performed: Sequence[tuple[Any, Any]]) -> Sequence[Outcome]: ...
    async def give_up(self, tx: Tx, job: Job, reason: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    shape: Shape
    handler: Any
    backoff: Backoff = field(default_factory=Backoff)
    max_snoozes: int = 1000
    on_wait: Literal["let_go", "hold"] = "let_go"
    aliases: tuple[str, ...] = ()
    batch: int = 500
    # most of it that one claim takes from routes; a function, so that an operator may change it while servers run
    claim_most: Callable[[], int] | None = None
    # most of it that one server runs at once, so that the other slots are left to others; a function if that changes
    slots: int | Callable[[], int] | None = None
    # labels that a server must have to run it
    needs: frozenset[str] = frozenset()
    give_up: Callable[[Tx, Job, str], Awaitable[None]] | None = None
    is_async: bool = True
    is_shared: bool = False
    # no report for so long ends the attempt
    stall: timedelta | None = None
    # in a process of its own, which can be killed
    in_process: bool = False

    @property
    def names(self) -> frozenset[str]:
        return frozenset((self.name, *self.aliases))

    @property
    def most_at_once(self) -> int:
        """Of a kind that has only some of the slots."""
        return self.slots() if callable(self.slots) else self.slots or 0

    @property
    def most_per_claim(self) -> int:
        return self.claim_most() if self.claim_most is not None else self.batch


class Kinds:
    """What this process can do. Kinds it does not know stay where they are, for newer servers."""

    def __init__(self) -> None:
        self._by_name: dict[str, Kind] = {}
        self.widths: dict[str, int] = {}

    def add(self, kind: Kind) -> None:
        if any(LABEL.fullmatch(label) is None for label in kind.needs):
            raise BadKind(f"{kind.name} needs {', '.join(sorted(kind.needs))}")
        if kind.needs and kind.shape is Shape.INSIDE:
            raise BadKind(f"{kind.name}: inside work only writes rows, which every server can")
        for name in (kind.name, *kind.aliases):
            if NAME.fullmatch(name) is None or name in self._by_name:
                raise BadKind(name)
            self._by_name[name] = kind

    def plain(self, name: str, **options: Any) -> Callable[[F], F]:
        """`@kinds.plain("reports.build")` over a function of the job. Runs at least once, outside any transaction."""

        def register(function: F) -> F:
            is_async = inspect.iscoroutinefunction(function)
            self.add(Kind(name, Shape.PLAIN, function, is_async=is_async, **options))
            return function

        return register

    def process(self, name: str, **options: Any) -> Callable[[F], F]:
        """`@kinds.process("video.encode")` over a function of a module, for work that must be stoppable.

        Each attempt is a process of its own; told to stop, it has a few seconds, then it is killed.
        """

        def register(function: F) -> F:
            if (
                inspect.iscoroutinefunction(function)
                or "<" in function.__qualname__
                or function.__module__ == "__main__"
            ):
                raise BadKind(f"{name}: a process finds its handler by name, so it is an ordinary function of a module")
            self.add(Kind(name, Shape.PLAIN, function, is_async=False, in_process=True, **options))
            return function

        return register

    def inside(self, name: str, **options: Any) -> Callable[[F], F]:
        """`@kinds.inside("counts.add")` over `(tx, jobs)`. Writes rows only; its effect happens exactly once."""

        def register(function: F) -> F:
            self.add(Kind(name, Shape.INSIDE, function, **options))
            return function

        return register

    def steps(self, name: str, handler: Steps, **options: Any) -> None:
        """An object with prepare, perform, record and give_up. Runs at least once, under a lease, fenced."""
        self.add(Kind(name, Shape.STEPS, handler, give_up=handler.give_up, **options))

    def shared_steps(self, name: str, handler: SharedSteps, **options: Any) -> None:
        """The same for work that many do at once: prepare_all and record_all get all that begin or end together."""
        self.add(Kind(name, Shape.STEPS, handler, give_up=handler.give_up, is_shared=True, **options))

    def shared_lanes(self, name: str, *, width: int) -> None:
        """Lanes called `name:…` are shared: of each at most so many are ready or running at once, over all servers.

        What an operator chose instead stands (widths.py). All other lanes are ordered: one at a time, in order.
        """
        if FAMILY.fullmatch(name) is None or name in self.widths or not 1 <= width <= WIDEST:
            raise BadKind(f"{name} of width {width}")
        self.widths[name] = width

    def find(self, name: str) -> Kind | None:
        return self._by_name.get(name)

    def __getitem__(self, name: str) -> Kind:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def names(self, *shapes: Shape) -> list[str]:
        return [name for name, kind in self._by_name.items() if kind.shape in shapes]

    def able(self, labels: Set[str], *shapes: Shape) -> list[str]:
        """Those that a server with these labels can run."""
        return [name for name in self.names(*shapes) if self._by_name[name].needs <= labels]

    def queues(self, labels: Set[str], *shapes: Shape) -> list[str]:
        """In which jobs for such a server are: those of its kinds, and of each those that need one of its labels."""
        able = self.able(labels, *shapes)
        return [*able, *(f"{name}@{label}" for name in able for label in sorted(labels))]

    def only(self, labels: Set[str]) -> "Kinds":
        """Those that need one of these labels, and all shared lanes."""
        chosen = Kinds()
        for kind in {id(kind): kind for kind in self._by_name.values() if kind.needs & labels}.values():
            chosen.add(kind)
        chosen.widths = dict(self.widths)
        return chosen

    @property
    def needs(self) -> dict[str, list[str]]:
        return {name: sorted(kind.needs) for name, kind in self._by_name.items() if kind.needs}

    @property
    def limited(self) -> list[Kind]:
        """Those that have only some of a server's slots."""
        return [kind for name, kind in self._by_name.items() if kind.slots is not None and name == kind.name]

    async def give_up(self, tx: Tx, ended: Sequence[tuple[Job, str]]) -> None:
        """Lets the handlers of jobs that ended without success write what that means, in the commit that ends them.

        A give_up that raises must not keep a job open for ever: its writes are undone, the end stands, it is reported.
        """
        for job, reason in ended:
            kind = self.find(job.kind)
            if kind is None or kind.give_up is None:
                continue
            try:
                async with tx.savepoint():
                    await kind.give_up(tx, job, reason)
            except Exception as error:  # noqa: BLE001 -- whatever an application's handler raises
                emit("kinds.give_up_failed", kind=job.kind, job=job.id, error=repr(error))


def merge(many: Iterable[Kinds]) -> Kinds:
    merged = Kinds()
    for kinds in many:
        for kind in {id(kind): kind for kind in kinds._by_name.values()}.values():
            merged.add(kind)
        for name, width in kinds.widths.items():
            merged.shared_lanes(name, width=width)
    return merged
