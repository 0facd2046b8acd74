"""`pabal user`: people, their role and unit, and the one-time addresses they sign in with."""

from typing import TYPE_CHECKING, Annotated

import typer

from pabal.cli.options import DryRun, OrgOption, Yes, find_org, find_person
from pabal.cli.shell import Shell, administrator
from pabal.platform.actor import Role
from pabal.platform.commands.resources import add_commands, show_rows
from pabal.resources.people import USER

if TYPE_CHECKING:
    from pabal.platform.auth import IssuedLink

app = typer.Typer(help="People: who may sign in, where, as what.", no_args_is_help=True)

Login = Annotated[str, typer.Argument(metavar="USER", help="The login, or the number.")]
ValidFor = Annotated[str, typer.Option("--for", metavar="SPAN", help="How long the address works: 1h, up to 7d.")]
add_commands(app, USER)


@app.command()
def add(
    ctx: typer.Context,
    login: Annotated[str, typer.Argument(help="What they sign in as.")],
    name: Annotated[str, typer.Option(help="What they are called.")],
    role: Annotated[Role, typer.Option(help="What they may do.")] = Role.VIEWER,
    org: OrgOption = None,
    dry_run: DryRun = False,
) -> None:
    """A new person, in the HQ unless another unit is named. They choose a password with `pabal user link`."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import auth

        async with shell.change(dry_run=dry_run) as tx:
            unit = await find_org(tx, org)
            made = await auth.add_user(tx, administrator(), auth.NewUser(login, name, unit.id, role))
            answer = await show_rows(tx, shell, USER, [made], USER.columns, single=True)
        shell.show(answer)
        if not dry_run and shell.output == "table":
            shell.tell("user.added", login=made.login)

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


@app.command("telegram")
def telegram_code(ctx: typer.Context, user: Login, dry_run: DryRun = False) -> None:
    """A code that links their Telegram account: they send /start CODE to the bot. It works once, for 15 minutes."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.cli.output import Answer
        from pabal.platform.notifications import linking

        async with shell.change(dry_run=dry_run) as tx:
            person = await find_person(tx, user)
            made = await linking.make_code_for(tx, administrator(), person.id)
        row = {"user": person.login, "code": None if dry_run else made.code, "expires_at": made.expires_at}
        shell.show(Answer(tuple(row), [row], single=True))

    shell.run(work())


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
