"""`pabal relay account`: OpenClaw instances and their tokens. A token is printed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.apps.relay.resources.accounts import ACCOUNT, AccountTokenView, RelayAccountView, view_account_token
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun, see, unit_names
from pabal.platform.commands.resources import add_commands, options_of, read_ask, show_views, signed, viewer_of
from pabal.platform.commands.shell import Shell
from pabal.platform.resources import find_name

if TYPE_CHECKING:
    from pabal.platform.resources import Verb

with lazily():
    from pabal.apps.relay.cli import words

COLUMNS: tuple[str, ...] = ("id", "name", "unit_id", "rate_limit_per_minute", "asks_owner", "old_token_until")
app = typer.Typer(help="Accounts: OpenClaw instances and their tokens.", no_args_is_help=True)
add_commands(app, ACCOUNT)


def _token_command(verb: Verb) -> Callable[..., None]:
    """Of a verb that issues a token: what it takes is described, what it prints is not a row of the list."""

    def run(ctx: typer.Context, which: str = "", dry_run: bool = False, **given: Any) -> None:
        shell: Shell = ctx.obj
        shell.run(_issue(shell, verb, which, given, dry_run=dry_run))

    named = (Annotated[str, typer.Argument(metavar="ACCOUNT", help=ACCOUNT.which)], Parameter.empty)
    takes = {} if verb.makes else {"which": named}
    options = {} if verb.asks is None else options_of(verb.asks)
    return signed(run, verb.help, described=(ACCOUNT, verb), **takes, **options, dry_run=(DryRun, False))


async def _issue(shell: Shell, verb: Verb, which: str, said: Mapping[str, Any], *, dry_run: bool) -> None:
    async with shell.change(dry_run=dry_run) as tx:
        scope = await see(tx, shell)
        given = await read_ask(tx, shell, scope, verb.asks, said)
        whose = () if verb.makes else ((await find_name(ACCOUNT.named)(tx, scope, which)).id,)
        made = await find_name(verb.action)(tx, shell.actor, *whose, **given)
        view, names = view_account_token(made, viewer_of(shell, tx)), await unit_names(tx)
    _show(shell, view, names, dry_run=dry_run)


def _show(shell: Shell, view: AccountTokenView, names: dict[int | None, str], *, dry_run: bool) -> None:
    """The token of one that was only tried would not work, so that it is left out."""
    if dry_run:
        columns = COLUMNS[:1] if shell.output == "plain" else COLUMNS
        kept = RelayAccountView.of(view)
        shell.show(show_views(shell, RelayAccountView, [kept], columns, names=names, single=True))
        return
    columns = ("token",) if shell.output == "plain" else ("token", *COLUMNS)
    shell.show(show_views(shell, AccountTokenView, [view], columns, names=names, single=True))
    shell.tell(words.TOKEN_ONCE)


_VERBS = {verb.name: verb for verb in ACCOUNT.verbs}
app.command("new")(_token_command(_VERBS["create"]))
app.command("rotate")(_token_command(_VERBS["rotate"]))
