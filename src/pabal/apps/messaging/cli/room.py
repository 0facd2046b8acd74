"""`pabal msg room`: where messages go. A bot discovers rooms; somebody claims them for a unit."""

from __future__ import annotations

from typing import Annotated

import typer

from pabal.apps.messaging.errors import BadRoom
from pabal.apps.messaging.model.rooms import RoomChange
from pabal.apps.messaging.resources.rooms import ROOM
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun, see
from pabal.platform.commands.resources import add_commands
from pabal.platform.commands.shell import Shell

with lazily():
    from pabal.apps.messaging.actions import rooms
    from pabal.apps.messaging.cli import explain, finding

app = typer.Typer(help="Rooms: where messages go.", no_args_is_help=True)
add_commands(app, ROOM)
Number = Annotated[
    str | None, typer.Option(metavar="N|default", help="A number; 0 is no limit, default the setting's.")
]


@app.command()
def limits(
    ctx: typer.Context,
    room: Annotated[str, typer.Argument(metavar="ROOM", help=ROOM.which)],
    min_gap: Number = None,
    sends_per_day: Number = None,
    messages_per_minute: Number = None,
    messages_per_hour: Number = None,
    messages_per_day: Number = None,
    text_length: Number = None,
    dry_run: DryRun = False,
) -> None:  # long: each limit is an option
    """The room's own limits in the place of the settings'; without any, how much of them is used."""
    shell: Shell = ctx.obj
    given = {
        "min_gap_seconds": min_gap,
        "dispatches_per_day": sends_per_day,
        "messages_per_minute": messages_per_minute,
        "messages_per_hour": messages_per_hour,
        "messages_per_day": messages_per_day,
        "max_text_length": text_length,
    }
    said = {name: text for name, text in given.items() if text is not None}

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await finding.find_room(tx, await see(tx, shell), room)
            if said:
                change = RoomChange(limits={name: _limit(text) for name, text in said.items()})
                found = await rooms.edit(tx, shell.actor, found.id, change)
            answer = await explain.show_limits(tx, shell, found)
        shell.show(answer)

    shell.run(work())


def _limit(text: str) -> int | None:
    if text == "default":
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadRoom(text[:100])
    return int(text)
