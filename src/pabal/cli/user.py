"""`pabal user`: people, their role and unit, and the one-time addresses they sign in with."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.options import (
    Cursor,
    DryRun,
    Limit,
    OrgOption,
    Yes,
    cut,
    find_org,
    find_person,
    find_unit,
    scope_of,
    tell_more,
    unit_names,
)
from pabal.cli.shell import Shell, administrator

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.auth import IssuedLink, User

app = typer.Typer(help="People: who may sign in, where, as what.", no_args_is_help=True)

Login = Annotated[str, typer.Argument(metavar="USER", help="The login, or the number.")]
ValidFor = Annotated[str, typer.Option("--for", metavar="SPAN", help="How long the address works: 1h, up to 7d.")]
COLUMNS = ("id", "login", "name", "role", "org", "state", "signed_in_at")


class RoleName(StrEnum):
    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"


@app.command("list")
def list_(
    ctx: typer.Context,
    org: OrgOption = None,
    role: Annotated[RoleName | None, typer.Option(help="Only with this role.")] = None,
    words: Annotated[str | None, typer.Option("--find", help="A part of the login or the name.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:
    """By login, those who may not sign in included."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import auth
        from pabal.platform.actor import Role

        wanted = None if role is None else Role(role.value)
        async with shell.transaction() as tx:
            scope = await scope_of(tx, org)
            found = await auth.list_users(tx, scope, after=cursor or "", words=words, role=wanted, limit=limit + 1)
            names = await unit_names(tx)
        _show_page(shell, found, names, limit)

    shell.run(work())


@app.command()
def show(ctx: typer.Context, user: Login) -> None:
    """One person."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            row = await _row(tx, await find_person(tx, user))
        _show_one(shell, row)

    shell.run(work())


@app.command()
def add(
    ctx: typer.Context,
    login: Annotated[str, typer.Argument(help="What they sign in as.")],
    name: Annotated[str, typer.Option(help="What they are called.")],
    role: Annotated[RoleName, typer.Option(help="What they may do.")] = RoleName.VIEWER,
    org: OrgOption = None,
    dry_run: DryRun = False,
) -> None:
    """A new person, in the HQ unless another unit is named. They choose a password with `pabal user link`."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import auth
        from pabal.platform.actor import Role

        async with shell.change(dry_run=dry_run) as tx:
            unit = await find_org(tx, org)
            made = await auth.add_user(tx, administrator(), auth.NewUser(login, name, unit.id, Role(role.value)))
            row = await _row(tx, made)
        _show_one(shell, row)
        if not dry_run and shell.output == "table":
            shell.tell("user.added", login=made.login)

    shell.run(work())


@app.command()
def edit(
    ctx: typer.Context,
    user: Login,
    name: Annotated[str | None, typer.Option(help="What they are called.")] = None,
    role: Annotated[RoleName | None, typer.Option(help="What they may do.")] = None,
    org: OrgOption = None,
    active: Annotated[bool | None, typer.Option("--active/--inactive", help="Whether they may sign in.")] = None,
    dry_run: DryRun = False,
) -> None:  # long: each thing one may change is an option
    """Change what is named. A new role or unit ends their sessions and revokes the tokens they made."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import auth
        from pabal.platform.actor import Role

        async with shell.change(dry_run=dry_run) as tx:
            after = await auth.edit_user(
                tx,
                administrator(),
                (await find_person(tx, user)).id,
                name=name,
                role=None if role is None else Role(role.value),
                unit_id=None if org is None else (await find_unit(tx, org)).id,
                is_active=active,
            )
            row = await _row(tx, after)
        _show_one(shell, row)

    shell.run(work())


@app.command()
def deactivate(ctx: typer.Context, user: Login, yes: Yes = False, dry_run: DryRun = False) -> None:
    """They may no longer sign in; their sessions, addresses and tokens end at once."""
    shell: Shell = ctx.obj
    if not dry_run:
        shell.confirm("user.deactivate.ask", yes=yes, user=user)

    async def work() -> None:
        from pabal.platform import auth

        async with shell.change(dry_run=dry_run) as tx:
            after = await auth.deactivate_user(tx, administrator(), (await find_person(tx, user)).id)
            row = await _row(tx, after)
        _show_one(shell, row)

    shell.run(work())


@app.command()
def link(ctx: typer.Context, user: Login, span: ValidFor = "1h", dry_run: DryRun = False) -> None:
    """A one-time address that signs them in; an earlier one is void."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.base.settings import parse_duration
        from pabal.platform import auth

        async with shell.change(dry_run=dry_run) as tx:
            person = await find_person(tx, user)
            made = await auth.issue_link(tx, administrator(), person.id, valid_for=parse_duration(span))
        _show_link(shell, made, dry_run=dry_run)

    shell.run(work())


@app.command("reset-password")
def reset_password(
    ctx: typer.Context, user: Login, span: ValidFor = "1h", yes: Yes = False, dry_run: DryRun = False
) -> None:
    """Forgotten or stolen: the password, every session and every token they made end; an address lets them choose."""
    shell: Shell = ctx.obj
    if not dry_run:
        shell.confirm("user.reset.ask", yes=yes, user=user)

    async def work() -> None:
        from pabal.base.settings import parse_duration
        from pabal.platform import auth

        async with shell.change(dry_run=dry_run) as tx:
            person = await find_person(tx, user)
            made = await auth.reset_password(tx, administrator(), person.id, valid_for=parse_duration(span))
        _show_link(shell, made, dry_run=dry_run)

    shell.run(work())


def _show_page(shell: Shell, found: "list[User]", names: dict[int | None, str], limit: int) -> None:
    from pabal.cli.output import Answer

    page, has_more = cut(found, limit)
    cursor = page[-1].login if has_more else None
    rows = [_shown(user, names) for user in page]
    shell.show(Answer(COLUMNS, rows, extra={"next_cursor": cursor}, empty="user.none", family="user"))
    tell_more(shell, cursor)


async def _row(tx: "Tx", user: "User") -> dict[str, Any]:
    return _shown(user, await unit_names(tx))


def _shown(user: "User", names: dict[int | None, str]) -> dict[str, Any]:
    from dataclasses import asdict

    state = "inactive" if not user.is_active else "active" if user.has_password else "invited"
    return {**asdict(user), "role": user.role.value, "org": names.get(user.unit_id), "state": state}


def _show_one(shell: Shell, row: dict[str, Any]) -> None:
    from pabal.cli.output import Answer

    columns = (*COLUMNS, "language", "zone", "created_at")
    shell.show(Answer(columns, [row], single=True, family="user"))


def _show_link(shell: Shell, made: "IssuedLink", *, dry_run: bool) -> None:
    """The address alone on stdout; one that was only tried would not work."""
    from pabal.cli.output import Answer, show_moment

    url = None if dry_run else f"{shell.address}/sign-in/link/{made.secret}"
    row = {"user": made.user.login, "url": url, "expires_at": made.expires_at}
    if shell.output in ("table", "plain"):
        shell.tell("user.link", user=made.user.login, until=show_moment(made.expires_at))
        if url is not None:
            typer.echo(url)
        return
    shell.show(Answer(tuple(row), [row], single=True))
