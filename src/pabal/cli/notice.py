"""`pabal notice`: what people were told."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from pabal.cli.options import Cursor, Limit, OrgOption, tell_more
from pabal.cli.shell import Shell
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import see
from pabal.platform.commands.resources import show_rows
from pabal.resources.notifications import NOTIFICATION, NotificationFilter

with lazily():
    from pabal.platform import notifications
    from pabal.resources import rows

app = typer.Typer(help="Notices: what people were told.", no_args_is_help=True)


class LevelName(StrEnum):
    INFO = "info"
    ATTENTION = "attention"
    FAILURE = "failure"


@app.callback()
def notices() -> None:
    """Notices: what people were told."""


@app.command("list")
def list_(
    ctx: typer.Context,
    level: Annotated[LevelName | None, typer.Option(help="This loud or louder.")] = None,
    org: OrgOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:
    """Newest first; repetitions are counted on the first."""
    shell: Shell = ctx.obj
    [listing] = NOTIFICATION.listings

    async def work() -> None:
        loud = () if level is None else tuple(notifications.Level(level.value).and_above)
        wanted = NotificationFilter.make({"level": loud})
        async with shell.transaction() as tx:
            page = await rows.list_notifications(tx, await see(tx, shell, org), wanted, cursor=cursor, limit=limit)
            more = {"next_cursor": page.cursor}
            answer = await show_rows(
                tx, shell, NOTIFICATION, page.items, listing.columns, empty=listing.empty, extra=more
            )
        shell.show(answer)
        tell_more(shell, page.cursor)

    shell.run(work())
