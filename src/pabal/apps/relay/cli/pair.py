"""`pabal relay pair`: pairing codes, with what to send in KakaoTalk and its QR code."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from pabal.apps.relay.resources.accounts import CODE, HIDDEN, PairingCodeView, view_code
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun, see, unit_names
from pabal.platform.commands.resources import add_commands, options_of, read_ask, show_views, signed, viewer_of
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.platform.resources import Verb

with lazily():
    import segno

    from pabal.apps.relay.actions import accounts
    from pabal.apps.relay.cli import words

COLUMNS: tuple[str, ...] = ("account_name", "unit_id", "expires_at")
QUIET_ZONE = 2
[_MAKE] = [verb for verb in CODE.verbs if verb.makes]
app = typer.Typer(help="Pairing codes: how a KakaoTalk user is paired with an account.", no_args_is_help=True)
add_commands(app, CODE)


def _new(ctx: typer.Context, dry_run: bool = False, **given: Any) -> None:
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            said = await read_ask(tx, shell, await see(tx, shell), _MAKE.asks, given)
            made = await accounts.new_code(tx, shell.actor, **said)
            view, names = view_code(made, viewer_of(shell, tx)), await unit_names(tx)
        _show(shell, view, names, dry_run=dry_run)

    shell.run(work())


def _show(shell: Shell, view: PairingCodeView, names: dict[int | None, str], *, dry_run: bool) -> None:
    """A code that was only tried would pair nobody, so that nobody is given it."""
    if dry_run:
        view, columns = replace(view, code=HIDDEN), COLUMNS
    else:
        columns = ("code",) if shell.output == "plain" else ("code", *COLUMNS)
    shell.show(show_views(shell, PairingCodeView, [view], columns, words=CODE.words, names=names, single=True))
    if shell.output == "table" and not dry_run:
        text = f"/pair {view.code}"
        shell.tell(words.SEND_THIS)
        typer.echo(f"\n  {text}\n\n{draw_qr(text)}")


def draw_qr(text: str) -> str:
    """In half blocks, light on dark: most terminals are."""
    drawn = io.StringIO()
    segno.make(text, micro=False).terminal(drawn, compact=True, border=QUIET_ZONE)
    return drawn.getvalue()


def _takes(verb: Verb) -> dict[str, Any]:
    return {} if verb.asks is None else options_of(verb.asks)


app.command("new")(signed(_new, _MAKE.help, described=(CODE, _MAKE), **_takes(_MAKE), dry_run=(DryRun, False)))
