"""Nouns: a resource, its lists and its verbs. A row here is a REST operation and a command at once.

Functions are named `module:function` and imported when they are called. Their forms:

- find    `(tx, scope, id) -> row`, raising what is not found or not in sight
- hold    `(tx, id)`: locks the row; the same function the actions lock it with
- named   `(tx, scope, text) -> row`: by number or by name, for people
- view    `(row, viewer) -> View`
- load    `(tx, scope, wanted, cursor=…, limit=…) -> Page[row]`; of a short list `(tx, scope, wanted) -> rows`
- read    `(tx, scope, wanted, viewer) -> View`
- action  `(tx, actor, id, **said) -> row`; of a verb that makes something `(tx, actor, **said) -> row`
- looks   `(read, services, actor, dry_run=…, **said) -> said`: looks at the world outside before the transaction opens,
  may refuse, and answers what the action is told; `read()` opens a transaction to read in
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.resources.asks import Ask, Filter
from pabal.platform.resources.views import View

# `reader` is who looks, for what is told to some and not to others of one unit
Need = Literal["vault", "services", "owners", "approvables", "reader", "rules", "catalogue", "workflows", "dry_run"]


@dataclass(frozen=True)
class Listing:
    """A list of a noun: `name` is its operation in REST, `title` names its cursors and its CSV.

    `of_house`: what it lists belongs to no unit, so that `org` is not for it. `is_short`: few by nature, answered
    whole. `path` and `command` are said where they are not the noun's own list.
    """

    name: str
    help: str
    load: str
    columns: tuple[str, ...]
    empty: Pair
    wanted: type[Filter] = Filter
    title: str = ""
    count: str = ""
    is_short: bool = False
    path: str = ""
    command: str = "list"
    has_period: bool = False
    of_house: bool = False


@dataclass(frozen=True)
class Report:
    """What is asked as a whole and is neither a row nor a list: how a period went, what comes next.

    `name` is its operation in REST, `details` as of a noun.
    """

    name: str
    help: str
    area: str
    path: str
    shows: type[View]
    read: str
    columns: tuple[str, ...] = ()
    wanted: type[Filter] = Filter
    words: str = ""
    details: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Verb:
    """What one does with a noun. `operation` is its name in REST, `command` its name in the command line.

    `makes`: it needs no row, and what comes of it is new. `answers_nothing`: 204. `confirm` is asked by the command
    before what cannot be undone. `needs` are handed to the action by name. `key_required`: sent twice it would be done
    twice, so REST asks for an Idempotency-Key. `in_rest` and `in_commands` False: not offered there.
    `shows` and `view` are of what comes of it where that is no row of the noun; `location`, with names of its fields,
    where REST finds that. `looks` is for REST; a verb that has it brings a command of its own, or none.
    """

    name: str
    action: str
    help: str
    asks: type[Ask] | None = None
    operation: str = ""
    method: Literal["POST", "PATCH", "PUT", "DELETE"] = "POST"
    path: str | None = None
    command: str | None = None
    status: int = 200
    makes: bool = False
    answers_nothing: bool = False
    confirm: Pair | None = None
    needs: tuple[Need, ...] = ()
    key_required: bool = False
    shows: type[View] | None = None
    view: str = ""
    location: str = ""
    looks: str = ""
    in_rest: bool = True
    in_commands: bool = True


@dataclass(frozen=True)
class Many:
    """A verb that works on many rows at once: those that are named, or all that a filter of the noun's list holds.

    `label` is what its button says. `undo` names the one that takes it back, row by row. `labels` are what the console
    calls those things one may say that it asks for; the others have their default there. `is_grave`: a red button.
    `is_offered` False: only to undo another. `right`: the least that it takes in the noun's area; each row is asked
    besides as the single verb asks.
    """

    name: str
    label: Pair
    action: str
    asks: type[Ask] | None = None
    needs: tuple[Need, ...] = ()
    undo: str = ""
    labels: Mapping[str, Pair] = field(default_factory=dict)
    is_grave: bool = False
    is_offered: bool = True
    right: Right = Right.WRITE


@dataclass
class Noun:
    """A resource: `one` and `many` are its words in commands and paths, `area` what the right to read it is of;
    without one, its rows are their reader's own.

    `columns` are what people see of one; left empty, every field. `words` names the app's own table of status words.
    `prefix` is of the ids its rows are known by (`dlv` for dlv_01h…); without one, that is their number. `called` is
    what REST's operations say instead of `one`. `is_versioned`: a row has a `version`, and its ETag is of that.
    `details` are fields that hold views: people see each as a table of its own, with these columns.
    `path` is where its addresses begin, where that is not `/` and `many`. `key` is what a path calls its id;
    `reads_key` names the annotation that reads one which is neither a number nor has a prefix. `needs` are handed to
    `find`, `named` and `load`, and to every action, by name. `title` is the field that people know a row by, `page`
    where the console shows one (`/rooms/{id}`): for what was done to many.
    """

    one: str
    many: str
    area: str
    shows: type[View]
    view: str
    find: str = ""
    hold: str = ""
    named: str = ""
    prefix: str = ""
    columns: tuple[str, ...] = ()
    words: str = ""
    which: str = "Its number, or its name."
    called: str = ""
    get_help: str = ""
    show_command: str = "show"
    is_versioned: bool = False
    path: str | None = None
    key: str = "id"
    reads_key: str = ""
    needs: tuple[Need, ...] = ()
    details: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    listings: list[Listing] = field(default_factory=list)
    verbs: list[Verb] = field(default_factory=list)
    title: str = ""
    page: str = ""
    for_many: dict[str, Many] = field(default_factory=dict)

    def lists(self, name: str, help: str, load: str, columns: tuple[str, ...], empty: Pair, **more: Any) -> None:
        self.listings.append(Listing(name, help, load, columns, empty, **more))

    def verb(self, name: str, action: str, help: str, asks: type[Ask] | None = None, **more: Any) -> None:
        self.verbs.append(Verb(name, action, help, asks, **more))

    def on_many(self, name: str, label: Pair, action: str = "", **more: Any) -> None:
        """Its verb of this name works on many; one that no single operation has names its own action."""
        known = {verb.name: verb for verb in self.verbs}
        if not action:
            verb = known[name]
            action, more = verb.action, {"asks": verb.asks, "needs": verb.needs, **more}
        self.for_many[name] = Many(name, label, action, **more)

    @property
    def address(self) -> str:
        return f"/{self.many}" if self.path is None else self.path

    @property
    def operation(self) -> str:
        """What REST's names of its operations end with."""
        return self.called or self.one.replace("-", "_")
