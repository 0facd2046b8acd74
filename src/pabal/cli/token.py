"""`pabal token`: what programs sign in with. A secret is printed once."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.exits import read_number
from pabal.cli.options import Cursor, DryRun, Limit, OrgOption, Yes, cut, find_org, scope_of, tell_more, unit_names
from pabal.cli.shell import Shell, administrator
from pabal.cli.user import RoleName

if TYPE_CHECKING:
    from datetime import datetime

    from pabal.platform.auth import MadeToken, Token

app = typer.Typer(help="API tokens: what programs sign in with.", no_args_is_help=True)

TokenId = Annotated[str, typer.Argument(metavar="ID", help="Its number: see `pabal token list`.")]
COLUMNS = ("id", "name", "state", "role", "scopes", "org", "start", "expires_at", "last_used_at")


@app.command("list")
def list_(ctx: typer.Context, org: OrgOption = None, limit: Limit = 50, cursor: Cursor = None) -> None:
    """Newest first, those that are over included."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.cli.output import Answer
        from pabal.platform import auth
        from pabal.platform.auth.tokens import LAST

        before = LAST if cursor is None else read_number(cursor)
        async with shell.transaction() as tx:
            found = await auth.list_tokens(tx, await scope_of(tx, org), before=before, limit=limit + 1)
            names, now = await unit_names(tx), tx.now
        page, has_more = cut(found, limit)
        after = str(page[-1].id) if has_more else None
        rows = [_row(one, names, now) for one in page]
        shell.show(Answer(COLUMNS, rows, extra={"next_cursor": after}, empty="token.none", family="token"))
        tell_more(shell, after)

    shell.run(work())


@app.command()
def make(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="What it is for.")],
    scope: Annotated[
        list[str], typer.Option("--scope", help="What it may touch: jobs:read, messaging:write, *:manage; or several.")
    ],
    role: Annotated[RoleName, typer.Option(help="The most it may do.")] = RoleName.VIEWER,
    org: OrgOption = None,
    span: Annotated[str, typer.Option("--for", metavar="SPAN", help="How long it works, up to 400d.")] = "90d",
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of a token is an option
    """A new token. Its secret is printed now and never again; alone with -o plain."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.base.settings import parse_duration
        from pabal.platform import auth
        from pabal.platform.actor import Role

        async with shell.change(dry_run=dry_run) as tx:
            unit = await find_org(tx, org)
            until = tx.now + parse_duration(span)
            new = auth.NewToken(name, unit.id, Role(role.value), tuple(scope), until)
            made = await auth.make_token(tx, administrator(), new)
            names, now = await unit_names(tx), tx.now
        _show_made(shell, made, _row(made.token, names, now), dry_run=dry_run)

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
            names, now = await unit_names(tx), tx.now
        _show_made(shell, made, _row(made.token, names, now), dry_run=dry_run)

    shell.run(work())


@app.command()
def revoke(ctx: typer.Context, token: TokenId, yes: Yes = False, dry_run: DryRun = False) -> None:
    """End a token at once."""
    shell: Shell = ctx.obj
    if not dry_run:
        shell.confirm("token.revoke.ask", yes=yes, token=token)

    async def work() -> None:
        from pabal.cli.output import Answer
        from pabal.platform import auth

        async with shell.change(dry_run=dry_run) as tx:
            over = await auth.revoke_token(tx, administrator(), read_number(token))
            names, now = await unit_names(tx), tx.now
        shell.show(Answer(COLUMNS, [_row(over, names, now)], single=True, family="token"))

    shell.run(work())


def _row(token: "Token", names: dict[int | None, str], now: "datetime") -> dict[str, Any]:
    from dataclasses import asdict

    state = "revoked" if token.revoked_at else "expired" if token.expires_at <= now else "active"
    if state == "active" and token.replaced_by is not None:
        state = "rotating"
    shown = {"state": state, "role": token.role.value, "org": names.get(token.unit_id), "start": f"{token.start}…"}
    return {**asdict(token), **shown}


def _show_made(shell: Shell, made: "MadeToken", row: dict[str, Any], *, dry_run: bool) -> None:
    from pabal.cli.output import Answer

    # One that was only tried would not work.
    shown = row if dry_run else {"secret": made.secret, **row}
    if shell.output == "plain":
        columns: tuple[str, ...] = ("id",) if dry_run else ("secret",)
    else:
        columns = ("secret", "id", "name", "role", "scopes", "org", "expires_at")
    shell.show(Answer(columns, [shown], single=True, family="token"))
    if not dry_run:
        shell.tell("token.once")
