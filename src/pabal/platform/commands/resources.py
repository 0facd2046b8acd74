"""Commands of described resources: a row of a noun becomes a command. What all commands need is written here, once.

A list has its filters as options, its page and its cursor; a verb finds what is named, does it in one transaction,
shows what came of it, and has `--dry-run`. Reading a description imports neither the database nor an app.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from inspect import Parameter, Signature, signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from pabal.platform.commands.answers import Answer
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, DryRun, Limit, OrgOption, Yes, see, tell_more, unit_names
from pabal.platform.commands.shell import Shell
from pabal.platform.language.pairs import Pair, put
from pabal.platform.language.status import STATUS
from pabal.platform.resources import Ask, Listing, Many, Noun, Report, Verb, View, Viewer, columns_of, find_name, plain
from pabal.platform.resources.asks import Asked, asked_of

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.tenants import Scope

with lazily():
    from pabal.platform import findings
    from pabal.platform.commands import many as bulk_commands
    from pabal.platform.commands import moments

Names = Mapping[int | None, str]
MANY = "One verb on many at once: those that are named, or all that a filter holds."


def add_commands(app: typer.Typer, noun: Noun) -> None:
    """Of everything the noun describes. What is too special to be described is a command of the app's own."""
    for listing in noun.listings:
        if listing.command:
            app.command(listing.command)(list_command(noun, listing))
    if noun.show_command and noun.get_help:
        app.command(noun.show_command)(_show_command(noun))
    if noun.for_many:
        app.add_typer(many_commands(noun), name="many")
    for verb in noun.verbs:
        if verb.in_commands:
            app.command(verb.command or verb.name.replace("_", "-"))(_verb_command(noun, verb))


def many_commands(noun: Noun) -> typer.Typer:
    """`pabal msg schedule many pause 7 8`, or `… many pause --all --state active`."""
    group = typer.Typer(help=MANY, no_args_is_help=True)
    for many in noun.for_many.values():
        if many.is_offered:
            group.command(many.name.replace("_", "-"))(many_command(noun, many))
    return group


def viewer_of(shell: Shell, tx: Tx) -> Viewer:
    """Whoever sits at this machine, on the machine's clock."""
    zone = tx.now.astimezone().tzinfo or UTC
    return Viewer(shell.actor, shell.lang, tx.now, zone, apps=lambda: shell.house)


async def show_rows(
    tx: Tx, shell: Shell, noun: Noun, rows: Sequence[Any], columns: Sequence[str] = (), **more: Any
) -> Answer:
    """Rows as an answer: programs get the view's fields, people its columns in words."""
    views = [view_row(tx, shell, noun, row) for row in rows]
    return show_views(shell, noun.shows, views, columns, words=noun.words, names=await unit_names(tx), **more)


def view_row(tx: Tx, shell: Shell, noun: Noun, row: Any) -> Any:
    return find_name(noun.view)(row, viewer_of(shell, tx))


def show_views(
    shell: Shell,
    shows: type[View],
    views: Sequence[View],
    columns: Sequence[str] = (),
    *,
    words: str = "",
    names: Names | None = None,
    single: bool = False,
    **more: Any,
) -> Answer:  # long: words and names are two tables that only some callers have
    about = columns_of(shows)
    columns = columns or [name for name in about if "." not in name]
    cells = [_cells(view, shell, columns, names or {}) for view in views]
    chosen = [name for name in columns if not single or cells[0].get(name) not in (None, [], "", {})]
    labels = {name: (one.label[0].upper(), one.label[1]) for name, one in about.items()}
    codes = {f"{name}.{value}": word for name, one in about.items() for value, word in one.words.items()}
    return Answer(
        chosen if shell.output == "table" else list(columns),
        [plain(view) for view in views],
        single=single,
        status=find_name(words) if words else STATUS,
        words={**labels, **codes},
        cells=cells,
        fields=tuple(shows.names()),
        families={name: one.status for name, one in about.items() if one.status},
        **more,
    )


def show_one(shell: Shell, of: Noun | Report, view: View, names: Names) -> None:
    """One thing; people see what it holds in tables below it."""
    shell.show(show_views(shell, of.shows, [view], of.columns, words=of.words, names=names, single=True))
    for name in of.details if shell.output == "table" else ():
        show_detail(shell, of, view, name, names)


def show_detail(shell: Shell, of: Noun | Report, view: View, name: str, names: Names, **more: Any) -> None:
    """The views that one of its fields holds."""
    held: Sequence[View] = getattr(view, name)
    if held or more:
        [kind] = get_args(get_type_hints(of.shows)[name])
        shell.show(show_views(shell, kind, held, of.details[name], words=of.words, names=names, **more))


async def read_report(tx: Tx, shell: Shell, report: Report, org: str | None, given: Mapping[str, Any]) -> Any:
    scope = await see(tx, shell, org)
    wanted = report.wanted.make(await read_options(tx, scope, report.wanted, given))
    return await find_name(report.read)(tx, scope, wanted, viewer_of(shell, tx))


def _cells(view: View, shell: Shell, columns: Sequence[str], names: Names) -> dict[str, Any]:
    about, found = columns_of(type(view)), {}
    for name in columns:
        value: Any = view
        for part in name.split("."):
            value = getattr(value, part)
        if callable(value):
            value = value(shell.lang)
        found[name] = names.get(value) if about[name].kind == "unit" else _cell(value)
    return found


def _cell(value: Any) -> Any:
    """Moments stay moments: people read them on their own clock."""
    return value if isinstance(value, datetime) else plain(value)


def list_command(noun: Noun, listing: Listing) -> Callable[..., None]:
    def run(
        ctx: typer.Context, org: str | None = None, limit: int = 0, cursor: str | None = None, **given: Any
    ) -> None:
        shell: Shell = ctx.obj

        async def work() -> None:
            async with shell.transaction() as tx:
                scope = await see(tx, shell, org)
                wanted = listing.wanted.make(await read_options(tx, scope, listing.wanted, given))
                load, needs = find_name(listing.load), needed_to_read(shell, noun)
                if listing.is_short:
                    rows, following = await load(tx, scope, wanted, **needs), None
                else:
                    page = await load(tx, scope, wanted, cursor=cursor, limit=limit, **needs)
                    rows, following = page.items, page.cursor
                more = {} if listing.is_short else {"extra": {"next_cursor": following}}
                answer = await show_rows(tx, shell, noun, rows, listing.columns, empty=listing.empty, **more)
            shell.show(answer)
            tell_more(shell, following)

        shell.run(work())

    paged = {} if listing.is_short else {"limit": (Limit, 50), "cursor": (Cursor, None)}
    units = {} if listing.of_house else {"org": (OrgOption, None)}
    return signed(run, listing.help, described=(noun, listing), **options_of(listing.wanted), **units, **paged)


def either(first: Callable[..., None], flag: str, help: str, second: Callable[..., None]) -> Callable[..., None]:
    """One command for two lists: with the flag, the second."""
    own, other = (dict(signature(one).parameters) for one in (first, second))
    name = flag.lstrip("-").replace("-", "_")

    def run(**given: Any) -> None:
        is_second = given.pop(name)
        takes = other if is_second else own
        (second if is_second else first)(**{each: value for each, value in given.items() if each in takes})

    option = (Annotated[bool, typer.Option(flag, help=help)], False)
    takes = {each: (one.annotation, one.default) for each, one in {**other, **own}.items() if each != "ctx"}
    return signed(run, first.__doc__ or "", described=first.described, **{name: option}, **takes)  # type: ignore[attr-defined]  # set below


def _show_command(noun: Noun) -> Callable[..., None]:
    def run(ctx: typer.Context, which: str) -> None:
        shell: Shell = ctx.obj

        async def work() -> None:
            async with shell.transaction() as tx:
                row = await find_name(noun.named)(tx, await see(tx, shell), which, **needed_to_read(shell, noun))
                view = view_row(tx, shell, noun, row)
                names = await unit_names(tx)
            show_one(shell, noun, view, names)

        shell.run(work())

    return signed(run, noun.get_help, described=(noun, None), which=_which(noun))


def _verb_command(noun: Noun, verb: Verb) -> Callable[..., None]:
    def run(ctx: typer.Context, which: str = "", yes: bool = False, dry_run: bool = False, **given: Any) -> None:
        shell: Shell = ctx.obj
        said = {**given, **read_secrets(shell, verb.asks)}
        if verb.confirm is not None and not dry_run:
            shell.confirm(verb.confirm, yes=yes, which=which)
        shell.run(_do(shell, noun, verb, which, said, dry_run=dry_run))

    takes: dict[str, Any] = {} if verb.makes else {"which": _which(noun)}
    if verb.asks is not None:
        takes |= options_of(verb.asks)
    if verb.confirm is not None:
        takes["yes"] = (Yes, False)
    return signed(run, verb.help, described=(noun, verb), **takes, dry_run=(DryRun, False))


async def _do(shell: Shell, noun: Noun, verb: Verb, which: str, said: Mapping[str, Any], *, dry_run: bool) -> None:
    action = find_name(verb.action)

    async def act(tx: Tx, scope: Scope) -> Any:
        given = await read_ask(tx, shell, scope, verb.asks, said)
        needs = needed_to_read(shell, noun) | needed(shell, verb.needs, dry_run=dry_run)
        with by_option(verb.asks):
            if verb.makes:
                return await action(tx, shell.actor, **given, **needs)
            row = await find_name(noun.named)(tx, scope, which, **needed_to_read(shell, noun))
            return await action(tx, shell.actor, row.id, **given, **needs)

    await change_row(shell, noun, act, dry_run=dry_run)


def many_command(noun: Noun, many: Many) -> Callable[..., None]:
    """With what is said to each row and the filters of the noun's list; where both have an option, it is the verb's."""

    def run(
        ctx: typer.Context, which: list[str] | None = None, every: bool = False, yes: bool = False, **given: Any
    ) -> None:
        if bool(which) == every:
            raise typer.BadParameter("name some, or say --all for all that the filters hold")
        chosen = bulk_commands.Chosen(noun, many, tuple(which or ()), every, given)
        ctx.obj.run(bulk_commands.do_many(ctx.obj, chosen, yes=yes, dry_run=given.pop("dry_run")))

    listing = noun.listings[0]
    rows = Annotated[list[str] | None, typer.Argument(metavar=f"[{noun.one.upper()}]...", help=noun.which)]
    every = Annotated[bool, typer.Option("--all", help="All that the filters hold, instead of some that are named.")]
    own: dict[str, Any] = {} if many.asks is None else options_of(many.asks)
    filters: dict[str, Any] = {} if listing.of_house else {"org": (OrgOption, None)}
    filters |= options_of(listing.wanted)
    taken = {name for one in own.values() for name in _flags(one)}
    free = {name: one for name, one in filters.items() if name not in own and not taken & set(_flags(one))}
    return signed(
        run,
        f"{many.label[0]}, on many at once.",
        which=(rows, None),
        every=(every, False),
        **own,
        **free,
        yes=(Yes, False),
        dry_run=(DryRun, False),
    )


def _flags(option: Any) -> tuple[str, ...]:
    [about] = option[0].__metadata__
    return tuple(about.param_decls or ())


def needed(shell: Shell, names: Sequence[str], *, dry_run: bool = False) -> dict[str, Any]:
    """What descriptions are handed by name."""
    return {name: dry_run if name == "dry_run" else getattr(shell, name) for name in names}


def needed_to_read(shell: Shell, noun: Noun) -> dict[str, Any]:
    """What every row of a noun is shown with. Its vault only opens: where the servers' key is not, a row is shown
    without its secret part."""
    return {name: shell.opener if name == "vault" else getattr(shell, name) for name in noun.needs}


async def change_row(shell: Shell, noun: Noun, act: Callable[[Tx, Scope], Awaitable[Any]], *, dry_run: bool) -> None:
    """Does it in one transaction and shows what came of it; also for commands that are written by hand."""
    answer = None
    async with shell.change(dry_run=dry_run) as tx:
        done = await act(tx, await see(tx, shell))
        if done is not None:
            answer = await show_rows(tx, shell, noun, [done], noun.columns, single=True)
    if answer is not None:
        shell.show(answer)


async def read_ask(
    tx: Tx, shell: Shell, scope: Scope, asks: type[Ask] | None, said: Mapping[str, Any]
) -> dict[str, Any]:
    """What the action is called with."""
    if asks is None:
        return {}
    made = asks.make(await read_options(tx, scope, asks, said))
    try:
        made.fits()
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    return made.arguments()


@contextmanager
def by_option(asks: type[Ask] | None, others: Mapping[str, str] = MappingProxyType({})) -> Iterator[None]:
    """A finding about a field is told by the name of its option, or of its argument; `others` by those named there."""
    try:
        yield
    except findings.FieldsRefused as error:
        error.options = {**(_option_names(asks) if asks is not None else {}), **others}
        raise


def _option_names(asks: type[Ask]) -> dict[str, str]:
    return {
        name: about.metavar or name.upper() if about.argument else _names(name, about)[0]
        for name, about in asked_of(asks).items()
    }


def options_of(asks: type[Ask]) -> dict[str, Any]:
    """By field: the annotation that makes typer an option or an argument of it, and its default."""
    hints = get_type_hints(asks)
    offered = {name: about for name, about in asked_of(asks).items() if not about.rest_only and about.secret is None}
    return {name: _option(name, hints[name], about, _is_needed(asks, name)) for name, about in offered.items()}


def _option(name: str, hint: Any, about: Asked, is_needed: bool) -> Any:
    kind = _typed(hint, about)
    bounds = _bounds(about) if kind is int else {}
    metavar = about.metavar or None
    if about.argument:
        return Annotated[kind, typer.Argument(metavar=metavar, help=about.help, case_sensitive=False)], Parameter.empty
    option = typer.Option(*_names(name, about), metavar=metavar, help=about.help, case_sensitive=False, **bounds)
    if is_needed:
        return Annotated[kind, option], Parameter.empty
    is_flag = kind is bool and not _is_either(about)
    return (Annotated[bool, option], False) if is_flag else (Annotated[kind | None, option], None)


def _bounds(about: Asked) -> dict[str, Any]:
    return {} if about.rules is None else {"min": about.rules.ge, "max": about.rules.le}


def _is_either(about: Asked) -> bool:
    """`--active/--inactive`: both are said, and neither may be."""
    return "/" in about.option


def _names(name: str, about: Asked) -> list[str]:
    return about.option.split(",") if about.option else [f"--{name.replace('_', '-')}"]


def _typed(hint: Any, about: Asked) -> Any:
    """What is typed: a name where something is looked up, a moment as people write it."""
    inner = [] if get_origin(hint) is Literal else [one for one in get_args(hint) if one is not type(None)]
    if get_origin(hint) is tuple:
        return list[inner[0]]  # type: ignore[valid-type]  # the type of its parts
    kind = inner[0] if inner and get_origin(hint) is not dict else hint
    return str if about.find or kind is datetime else kind


def _is_needed(asks: type[Ask], name: str) -> bool:
    field = asks.__dataclass_fields__[name]  # type: ignore[attr-defined]  # every subclass is a dataclass
    return bool(field.default is field.default_factory)


async def read_options(tx: Tx, scope: Scope, asks: type[Ask], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed, as the values that REST would be sent. What was left out stays out."""
    hints, said = get_type_hints(asks), {}
    for name, about in asked_of(asks).items():
        value = given.get(name)
        is_unsaid = value is False and not _is_needed(asks, name) and not _is_either(about)
        if value is None or is_unsaid or value in ([], ()):
            continue
        if about.find:
            value = await find_name(about.find)(tx, scope, value)
        elif datetime in (hints[name], *get_args(hints[name])):
            value = moments.read_moment(value, tx.now)
        said[name] = tuple(value) if isinstance(value, list) else value
    return said


def read_secrets(shell: Shell, asks: type[Ask] | None) -> dict[str, str]:
    """Never from the line: asked for, or from stdin, a line each."""
    asked = {} if asks is None else asked_of(asks)
    return {name: _prompt(shell, about.secret) for name, about in asked.items() if about.secret is not None}


def _prompt(shell: Shell, label: Pair) -> str:
    if sys.stdin.isatty() and sys.stderr.isatty():
        typed: str = typer.prompt(put(shell.lang, label), hide_input=True, err=True, default="", show_default=False)
        return typed.strip()
    return sys.stdin.readline().strip()


def _which(noun: Noun) -> Any:
    return Annotated[str, typer.Argument(metavar=noun.one.upper(), help=noun.which)], Parameter.empty


def signed(
    run: Callable[..., None], help: str, *, described: tuple[Noun, Listing | Verb | None] | None = None, **takes: Any
) -> Callable[..., None]:
    """Typer reads what a command takes from its signature; `described` is for whoever walks the commands."""
    parameters = [Parameter("ctx", Parameter.KEYWORD_ONLY, annotation=typer.Context)]
    for name, (annotation, default) in takes.items():
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default))

    def command(**given: Any) -> None:
        run(**given)

    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # read by inspect
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__doc__ = help
    if described is not None:
        command.described = described  # type: ignore[attr-defined]  # read by inspection
    return command
