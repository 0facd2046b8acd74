"""`pabal notice`: what people were told."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.exits import read_id
from pabal.cli.options import Cursor, Limit, OrgOption, cut, find_unit, tell_more
from pabal.cli.shell import Shell, administrator

if TYPE_CHECKING:
    from pabal.platform.notifications import Notification

app = typer.Typer(help="Notices: what people were told.", no_args_is_help=True)
COLUMNS = ("id", "last_at", "level", "title", "text", "times")


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

    async def work() -> None:
        from pabal.cli.output import Answer
        from pabal.platform import notifications
        from pabal.platform.notifications.store import NEWEST

        levels = None if level is None else list(map(notifications.Level, notifications.Level(level.value).and_above))
        before = NEWEST if cursor is None else read_id("ntf", cursor)
        async with shell.transaction() as tx:
            within = None if org is None else (await find_unit(tx, org)).id
            found = await notifications.list_notifications(
                tx, administrator(), within=within, levels=levels, before=before, limit=limit + 1
            )
        page, has_more = cut(found, limit)
        rows = [_row(shell, one) for one in page]
        after = rows[-1]["id"] if has_more else None
        shell.show(Answer(COLUMNS, rows, extra={"next_cursor": after}, empty="notice.none"))
        tell_more(shell, after)

    shell.run(work())


def _row(shell: Shell, told: "Notification") -> dict[str, Any]:
    from pabal.engine import ids

    is_korean = shell.lang == "ko"
    return {
        "id": ids.show("ntf", told.id),
        "name": told.name,
        "level": told.level.value,
        "title": told.title[is_korean],
        "text": told.text[is_korean],
        "about": told.about,
        "link": None if told.link is None else f"{shell.address}{told.link}",
        "unit_id": told.unit_id,
        "times": told.times,
        "at": told.at,
        "last_at": told.last_at,
    }
