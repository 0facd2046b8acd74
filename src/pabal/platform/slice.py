"""Slice: what an app hands to main. Loaded by name, from a module or from a file."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.base.migrations import Migration, read_migrations
from pabal.engine.facts import Subscriber
from pabal.engine.kinds import Kinds
from pabal.engine.life import Life
from pabal.engine.loop import Loop
from pabal.engine.machine import Machine
from pabal.engine.ticks import Pace
from pabal.platform.actor import Actor
from pabal.platform.controls import KindControls, MachineControls, Owners, check_complete
from pabal.platform.language import actions, errors, rights, stories
from pabal.platform.language.pairs import Pair
from pabal.platform.language.status import Words
from pabal.platform.loading import AppNotFound, import_file, import_module
from pabal.platform.overview import Cards, Finds, NavItem, Needs
from pabal.platform.resources.names import find_name
from pabal.platform.schema import MIGRATIONS
from pabal.platform.services import Services

if TYPE_CHECKING:
    from pabal.platform.alerts import AlertRule, Measure
    from pabal.platform.approvals import Approvable, Approvables
    from pabal.platform.broker import EventHandler
    from pabal.platform.events import Consumer
    from pabal.platform.resources import Noun
    from pabal.platform.settings import Setting
    from pabal.platform.workflows import SliceStep

ATTRIBUTE = "SLICE"
# (tx, who wrote it, what): what they are told
Hears = Callable[[Tx, Actor, str], Awaitable[Pair | None]]


class SlicesClash(Invalid, code="slices_clash"):
    """Two slices say the same name: slices, machines and subscribers are each named once."""


@dataclass(frozen=True)
class Demo:
    """An app's part of the removable demo: `load` fills it into the demo's organisation, `clear` takes it out again.

    `after` brings what rows cannot: files, say. It runs after `load`'s commit, and again if it did not come to its end.
    """

    load: Callable[[Tx], Awaitable[None]]
    clear: Callable[[Tx], Awaitable[None]]
    after: Callable[[Services], Awaitable[None]] | None = None


class Gateway(Protocol):
    """An edge of the app that listens to something other than the web: a server of its own, for bots, say.

    It starts after the engine. When the server stops it takes in nothing new, and closes once nothing runs any more.
    Its loops are the server's to run: they hear hints, are watched, and stop with the others.
    """

    loops: list[Loop]

    async def start(self) -> None: ...
    def refuse_new(self) -> None: ...
    async def close(self) -> None: ...


class Examined(NamedTuple):
    """What `pabal doctor` says of something outside that the app needs. `state`: ok, warn or fail."""

    name: str
    state: str
    detail: str
    mend: Pair


@dataclass(frozen=True)
class Slice:
    """`on_start` writes the rows the slice cannot be without, such as its schedules; it runs at every start, on every
    server, so it must bear being repeated. `migrations` is a folder of 0001_….sql, applied under the slice's name.

    Kinds, loops and simulators that need something from outside are functions of Services. `api`, `pages` and
    `commands` name modules (with a `router`, a `router` and an `app`), so that a command line that only looks at
    jobs need not import a web framework; commands of a package are in its `cli`, which is found without naming it.
    `gateways` are opened by servers that run work, with this process's life. `pace` says how long the scheduler may
    rest. `errors` are the Korean sentences of its errors, by code; `actions` what the audit calls its verbs,
    `areas` what its rights are about besides the app itself, `names` what people call the subjects of its machines,
    `limits` its limits by the words behind their subject.
    Simulators are entered when a demo starts and left when it stops. `link` answers where a person sees what an
    `about` names. `events` are what it takes in from a broker, by name in any case.
    `consumers` take what anybody publishes (platform/events), each under a name of its own.
    `health` reads what `/health` says of the app, under the names its own clients know; `doctor` looks at what it
    needs outside, as far as this process's environment names it.
    `controls` say for every event of every machine who may send it by hand, `kind_controls` who may operate its work.
    `approvals` are what people decide in the inbox all apps share. `nouns` names its described resources, for what is
    done to many rows of one.
    `steps` are what a workflow may do through the app's own actions, in the name of its owner.
    `hears` takes what a linked person writes to our bot in Telegram, and answers; None: it is not for this app.
    """

    name: str
    kinds: Kinds | Callable[[Services], Kinds] = field(default_factory=Kinds)
    machines: tuple[Machine, ...] = ()
    controls: tuple[MachineControls, ...] = ()
    kind_controls: tuple[KindControls, ...] = ()
    approvals: "tuple[Approvable, ...]" = ()
    steps: "tuple[SliceStep, ...]" = ()
    subscribers: tuple[Subscriber, ...] = ()
    events: "dict[str, EventHandler]" = field(default_factory=dict)
    consumers: "tuple[Consumer, ...]" = ()
    migrations: Path | None = None
    on_start: Callable[[Tx], Awaitable[None]] | None = None
    loops: Callable[[Services], list[Loop]] | None = None
    gateways: Callable[[Services, Life], Sequence[Gateway]] | None = None
    pace: Callable[[Tx], Awaitable[Pace]] | None = None
    errors: dict[str, str] = field(default_factory=dict)
    actions: dict[str, Pair] = field(default_factory=dict)
    names: dict[str, Pair] = field(default_factory=dict)
    areas: dict[str, Pair] = field(default_factory=dict)
    limits: dict[str, Pair] = field(default_factory=dict)
    settings: "tuple[Setting[Any], ...]" = ()
    measures: "tuple[Measure, ...]" = ()
    alert_rules: "tuple[AlertRule, ...]" = ()
    label: Pair = ("", "")
    icon: str = "server-2"
    api: str = ""
    nouns: str = ""
    pages: str = ""
    templates: Path | None = None
    static: Path | None = None
    commands: str = ""
    nav: tuple[NavItem, ...] = ()
    status: Words = field(default_factory=dict)
    card: Cards | None = None
    needs: Needs | None = None
    find: Finds | None = None
    link: Callable[[str], str | None] | None = None
    health: Callable[[Tx], Awaitable[dict[str, Any]]] | None = None
    doctor: Callable[[], Awaitable[list[Examined]]] | None = None
    demo: Demo | None = None
    simulators: Callable[[Services], list[AbstractAsyncContextManager[object]]] | None = None
    hears: Hears | None = None

    def make_kinds(self, services: Services) -> Kinds:
        return self.kinds if isinstance(self.kinds, Kinds) else self.kinds(services)

    @property
    def named_areas(self) -> dict[str, Pair]:
        """What rights of this app are about: itself, and what it keeps apart."""
        return {self.name: self.label if any(self.label) else (self.name, self.name), **self.areas}

    def read_migrations(self) -> list[Migration]:
        return [] if self.migrations is None else read_migrations(self.name, self.migrations)


def load_slices(names: Iterable[str], *, also: tuple[Slice, ...] = ()) -> tuple[Slice, ...]:
    slices = (*(load_slice(name) for name in dict.fromkeys(names)), *also)
    check_slices(slices)
    for one in slices:
        errors.add(one.errors)
        rights.add(one.named_areas)
        stories.LIMITS.update(one.limits)
        if one.actions:
            actions.add(one.name, one.label, one.actions)
    return slices


def load_slice(name: str) -> Slice:
    source, _, attribute = name.rpartition(":") if ":" in name else (name, "", ATTRIBUTE)
    is_file = source.endswith(".py")
    module = import_file(Path(source)) if is_file else import_module(source)
    found = getattr(module, attribute, None)
    if not isinstance(found, Slice):
        raise AppNotFound(f"{source} has no Slice named {attribute}")
    return found


def list_migrations(slices: Iterable[Slice]) -> list[Migration]:
    """Those every server has, then those of each slice."""
    return [*MIGRATIONS, *(migration for one in slices for migration in one.read_migrations())]


def list_owners(slices: Iterable[Slice]) -> Owners:
    return {owner.kind: owner for one in slices for owner in one.kind_controls}


def list_steps(slices: "Iterable[Slice]") -> "list[SliceStep]":
    """What a workflow may do."""
    return [step for one in slices for step in one.steps]


def list_approvables(slices: Iterable[Slice]) -> "Approvables":
    """By the name of their kind."""
    return {each.kind.name: each for one in slices for each in one.approvals}


def list_nouns(slices: Iterable[Slice]) -> "dict[str, Noun]":
    """Those with verbs that work on many rows, by the name a bulk keeps: `messaging.rooms`."""
    found = ((one.name, noun) for one in slices if one.nouns for noun in find_name(one.nouns))
    return {f"{name}.{noun.many}": noun for name, noun in found if noun.for_many}


def check_slices(slices: Sequence[Slice]) -> None:
    check_names(slices)
    for one in slices:
        check_complete(one.machines, one.controls)


def check_names(slices: Iterable[Slice]) -> None:
    for what, names in (
        ("slice", [one.name for one in slices]),
        ("machine", [machine.name for one in slices for machine in one.machines]),
        ("owner of kind", [owner.kind for one in slices for owner in one.kind_controls]),
        ("kind of approval", [each.kind.name for one in slices for each in one.approvals]),
        ("kind of step", [each.full_name for one in slices for each in one.steps]),
        ("subscriber", [subscriber.name for one in slices for subscriber in one.subscribers]),
        ("event", [name.lower() for one in slices for name in one.events]),
        ("consumer", [consumer.group for one in slices for consumer in one.consumers]),
        ("setting", [setting.key for one in slices for setting in one.settings]),
        ("measure", [measure.name for one in slices for measure in one.measures]),
        ("alert rule", [rule.name for one in slices for rule in one.alert_rules]),
        ("letter after g", [item.goto for one in slices for item in one.nav if item.goto]),
    ):
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise SlicesClash(f"{what} {', '.join(sorted(twice))}")
