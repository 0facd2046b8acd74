"""`pabal alert`: what is wrong now, who takes care of it, and the rules that tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.options import Cursor, DryRun, Limit, Note, OrgOption, tell_more
from pabal.cli.shell import Shell
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import see
from pabal.platform.commands.resources import add_commands, change_row, show_rows
from pabal.resources.alerts import ALERT, RULE, AlertFilter

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.tenants import Scope

with lazily():
    from pabal.cli import finding
    from pabal.platform import alerts
    from pabal.platform.commands import moments
    from pabal.resources import rows

app = typer.Typer(help="Alerts: what is wrong now, and the rules that tell it.", no_args_is_help=True)
AlertOrRule = Annotated[
    str, typer.Argument(metavar="ID|RULE", help="An alert, or a whole rule such as engine.stuck_work.")
]


@app.command("list")
def list_(
    ctx: typer.Context,
    history: Annotated[bool, typer.Option("--all", help="Those that are resolved, too.")] = False,
    rule: Annotated[str | None, typer.Option(help="Only of this rule.")] = None,
    org: OrgOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:
    """Those that are not resolved, newest first."""
    shell: Shell = ctx.obj
    [listing] = ALERT.listings
    wanted = AlertFilter(open=None if history else True, rule=rule)

    async def work() -> None:
        async with shell.transaction() as tx:
            page = await rows.list_alerts(tx, await see(tx, shell, org), wanted, cursor=cursor, limit=limit)
            more = {"next_cursor": page.cursor}
            answer = await show_rows(tx, shell, ALERT, page.items, listing.columns, empty=listing.empty, extra=more)
        shell.show(answer)
        tell_more(shell, page.cursor)

    shell.run(work())


add_commands(app, ALERT)
add_commands(app, RULE)


@app.command()
def silence(
    ctx: typer.Context,
    what: AlertOrRule,
    until: Annotated[str, typer.Option(help="+2h, 내일 09:00, tomorrow 09:00, an ISO moment; within 30 days.")] = "+1h",
    note: Note = "",
    dry_run: DryRun = False,
) -> None:
    """Nobody is told until then: of one alert, or for planned work of a whole rule."""
    shell: Shell = ctx.obj

    async def one(tx: Tx, scope: Scope) -> Any:
        alert = await finding.find_alert(tx, scope, what)
        return await alerts.silence(tx, shell.actor, alert.id, until=moments.read_moment(until, tx.now), note=note)

    async def whole(tx: Tx) -> None:
        end = moments.read_moment(until, tx.now)
        await alerts.silence_rule(tx, shell.actor, alerts.find_rule(shell.rules, what), until=end, note=note)

    shell.run(_of_rule(shell, what, whole, dry_run) if "." in what else change_row(shell, ALERT, one, dry_run=dry_run))


@app.command()
def unsilence(ctx: typer.Context, what: AlertOrRule, note: Note = "", dry_run: DryRun = False) -> None:
    """People are told again."""
    shell: Shell = ctx.obj

    async def one(tx: Tx, scope: Scope) -> Any:
        alert = await finding.find_alert(tx, scope, what)
        return await alerts.unsilence(tx, shell.actor, alert.id, note=note)

    async def whole(tx: Tx) -> None:
        await alerts.unsilence_rule(tx, shell.actor, alerts.find_rule(shell.rules, what))

    shell.run(_of_rule(shell, what, whole, dry_run) if "." in what else change_row(shell, ALERT, one, dry_run=dry_run))


async def _of_rule(shell: Shell, name: str, act: Any, dry_run: bool) -> None:
    async with shell.change(dry_run=dry_run) as tx:
        await act(tx)
        found = await alerts.list_rules(tx, await see(tx, shell), [alerts.find_rule(shell.rules, name)])
        answer = await show_rows(tx, shell, RULE, found, RULE.columns, single=True)
    shell.show(answer)
