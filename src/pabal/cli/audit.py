"""`pabal audit`: who changed what, before and after, and from where."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.exits import read_id
from pabal.cli.options import Cursor, Limit, OrgOption, cut, scope_of, tell_more
from pabal.cli.shell import Shell

if TYPE_CHECKING:
    from datetime import datetime

    from pabal.platform.audit import Entry

app = typer.Typer(help="The audit: who changed what.", no_args_is_help=True)
COLUMNS = ("at", "actor_label", "action", "about", "before", "after", "origin")


@app.callback()
def audited() -> None:
    """The audit: who changed what."""


@app.command("list")
def list_(
    ctx: typer.Context,
    actor: Annotated[str | None, typer.Option(help="Only by them: user:12, token:5, cli:kim.")] = None,
    action: Annotated[str | None, typer.Option(help="Only this: users.edit, or settings.*.")] = None,
    about: Annotated[str | None, typer.Option(help="Only about this: user:12.")] = None,
    since: Annotated[str | None, typer.Option(help="From then on: -2h, 어제 09:00, an ISO moment.")] = None,
    until: Annotated[str | None, typer.Option(help="Up to then.")] = None,
    org: OrgOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:  # long: each filter is an option
    """Newest first."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.cli.output import Answer
        from pabal.platform import audit

        async with shell.transaction() as tx:
            wanted = audit.Wanted(
                units=(await scope_of(tx, org)).listed,
                actor=actor,
                action=action,
                about=about,
                since=_moment(since, tx.now),
                until=_moment(until, tx.now),
                before=2**63 - 1 if cursor is None else read_id("aud", cursor),
            )
            found = await audit.list_entries(tx, wanted, limit=limit + 1)
        page, has_more = cut(found, limit)
        rows = [_row(one) for one in page]
        after = rows[-1]["id"] if has_more else None
        shell.show(Answer(COLUMNS, rows, extra={"next_cursor": after}, empty="audit.none"))
        tell_more(shell, after)

    shell.run(work())


def _moment(text: str | None, now: "datetime") -> "datetime | None":
    from pabal.platform.commands.moments import read_moment

    return None if text is None else read_moment(text, now)


def _row(entry: "Entry") -> dict[str, Any]:
    from dataclasses import asdict

    from pabal.engine import ids

    return {**asdict(entry), "id": ids.show("aud", entry.id), "actor_label": entry.actor_label or entry.actor}
