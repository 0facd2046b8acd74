"""`pabal inbox`, `pabal approve`, `pabal reject`: what waits for a person's yes or no, and saying it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.options import Cursor, DryRun, Limit, OrgOption, tell_more
from pabal.cli.shell import Shell
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import see
from pabal.platform.commands.resources import change_row, needed, show_rows
from pabal.resources.approvals import APPROVAL, ApprovalFilter

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.tenants import Scope

with lazily():
    from pabal.cli import finding
    from pabal.resources import rows, verbs

Which = Annotated[str, typer.Argument(metavar="ID", help="Like apr_01h2xcejqtf2n; pabal inbox lists them.")]


def inbox(
    ctx: typer.Context,
    which: Annotated[str | None, typer.Argument(metavar="[ID]", help="One of them, with everything about it.")] = None,
    state: Annotated[str, typer.Option(help="open, approved, rejected, withdrawn or expired.")] = "open",
    kind: Annotated[str | None, typer.Option(help="Only of this kind, such as adgroups.ready.")] = None,
    org: OrgOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:  # long: each option is a parameter
    """What waits for a person's yes or no, in any app."""
    shell: Shell = ctx.obj
    if state not in ("open", "approved", "rejected", "withdrawn", "expired"):
        raise typer.BadParameter("open, approved, rejected, withdrawn or expired", param_hint="--state")
    wanted = ApprovalFilter.make({"state": state, "kind": kind})
    shell.run(_list(shell, wanted, org, limit, cursor) if which is None else _show(shell, which))


def approve(
    ctx: typer.Context,
    which: Which,
    reason: Annotated[str, typer.Option("--message", "-m", metavar="TEXT", help="Why; kept with the decision.")] = "",
    dry_run: DryRun = False,
) -> None:
    """Say yes to what waits in the inbox."""
    _decide(ctx.obj, which, "approve", reason, dry_run=dry_run)


def reject(
    ctx: typer.Context,
    which: Which,
    reason: Annotated[str, typer.Option("--message", "-m", metavar="TEXT", help="Why; kept with the decision.")],
    dry_run: DryRun = False,
) -> None:
    """Say no to what waits in the inbox, and why."""
    _decide(ctx.obj, which, "reject", reason, dry_run=dry_run)


async def _list(shell: Shell, wanted: ApprovalFilter, org: str | None, limit: int, cursor: str | None) -> None:
    [listing] = APPROVAL.listings
    async with shell.transaction() as tx:
        scope, needs = await see(tx, shell, org), needed(shell, APPROVAL.needs)
        page = await rows.list_approvals(tx, scope, wanted, cursor=cursor, limit=limit, **needs)
        more = {"next_cursor": page.cursor}
        answer = await show_rows(tx, shell, APPROVAL, page.items, listing.columns, empty=listing.empty, extra=more)
    shell.show(answer)
    tell_more(shell, page.cursor)


async def _show(shell: Shell, which: str) -> None:
    async with shell.transaction() as tx:
        found = await finding.find_approval(tx, await see(tx, shell), which, **needed(shell, APPROVAL.needs))
        answer = await show_rows(tx, shell, APPROVAL, [found], APPROVAL.columns, single=True)
    shell.show(answer)


def _decide(shell: Shell, which: str, verdict: str, reason: str, *, dry_run: bool) -> None:
    needs = needed(shell, APPROVAL.needs)

    async def act(tx: Tx, scope: Scope) -> Any:
        found = await finding.find_approval(tx, scope, which, **needs)
        return await verbs.decide_approval(tx, shell.actor, found.id, verdict=verdict, reason=reason, **needs)

    shell.run(change_row(shell, APPROVAL, act, dry_run=dry_run))
