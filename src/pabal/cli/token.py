"""`pabal token`: what programs sign in with. A secret is printed once."""

from typing import Annotated

import typer

from pabal.cli.exits import read_number
from pabal.cli.options import DryRun, OrgOption, find_org, unit_names
from pabal.cli.shell import Shell, administrator
from pabal.platform.actor import Role
from pabal.platform.commands.resources import add_commands, show_views, viewer_of
from pabal.resources.people import ROLES, TOKEN, MadeTokenView, TokenView, view_made_token

app = typer.Typer(help="API tokens: what programs sign in with.", no_args_is_help=True)

TokenId = Annotated[str, typer.Argument(metavar="ID", help="Its number: see `pabal token list`.")]
add_commands(app, TOKEN)


@app.command()
def make(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="What it is for.")],
    scope: Annotated[
        list[str], typer.Option("--scope", help="What it may touch: jobs:read, messaging:write, *:manage; or several.")
    ],
    role: Annotated[Role, typer.Option(help="The most it may do.")] = Role.VIEWER,
    org: OrgOption = None,
    span: Annotated[str, typer.Option("--for", metavar="SPAN", help="How long it works, up to 400d.")] = "90d",
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of a token is an option
    """A new token. Its secret is printed now and never again; alone with -o plain."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.base.settings import parse_duration
        from pabal.platform import auth

        async with shell.change(dry_run=dry_run) as tx:
            unit = await find_org(tx, org)
            until = tx.now + parse_duration(span)
            new = auth.NewToken(name, unit.id, role, tuple(scope), until)
            made = await auth.make_token(tx, administrator(), new)
            view, names = view_made_token(made, viewer_of(shell, tx)), await unit_names(tx)
        _show_made(shell, view, names, dry_run=dry_run)
        shell.tell("token.role", role=shell.say(ROLES[role]))

    shell.run(work())


@app.command()
def rotate(
    ctx: typer.Context,
    token: TokenId,
    overlap: Annotated[str, typer.Option(metavar="SPAN", help="How long the old secret works on.")] = "24h",
    dry_run: DryRun = False,
) -> None:
    """A new secret for the same rights, printed once; the old one works on for a while."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.base.settings import parse_duration
        from pabal.platform import auth

        async with shell.change(dry_run=dry_run) as tx:
            old = read_number(token)
            made = await auth.rotate_token(tx, administrator(), old, overlap=parse_duration(overlap))
            view, names = view_made_token(made, viewer_of(shell, tx)), await unit_names(tx)
        _show_made(shell, view, names, dry_run=dry_run)

    shell.run(work())


def _show_made(shell: Shell, view: MadeTokenView, names: dict[int | None, str], *, dry_run: bool) -> None:
    """The secret of one that was only tried would not work, so that it is left out."""
    columns: tuple[str, ...] = ("secret", "id", "name", "role", "scopes", "unit_id", "expires_at")
    if shell.output == "plain":
        columns = ("secret",)
    if dry_run:
        columns = ("id",) if shell.output == "plain" else columns[1:]
        kept = TokenView.of(view)
        shell.show(show_views(shell, TokenView, [kept], columns, names=names, single=True))
        return
    shell.show(show_views(shell, MadeTokenView, [view], columns, names=names, single=True))
    shell.tell("token.once")
