"""`pabal msg`: schedules, templates, rooms, bots and sends from the command line. Only `app` is for others."""

import typer

from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.shell import Shell
from pabal.platform.commands.tree import Later, tree
from pabal.platform.language import errors

with lazily():
    from pabal.apps.messaging.cli import words
    from pabal.apps.messaging.errors import KO

_HERE = "pabal.apps.messaging.cli"
app = tree(
    "msg",
    "Scheduled KakaoTalk messages: schedules, rooms, bots, sends.",
    [
        Later("limits", f"{_HERE}.explain:limits", "How much of a room's limits is used, and when more may be sent."),
        Later("preview", f"{_HERE}.explain:preview", "How it will look in KakaoTalk, and its next five moments."),
        Later("load", f"{_HERE}.explain:load", "The servers of bots: bots, connections, memory and CPU of each."),
        Later("report", f"{_HERE}.report:report", "How it went: success rate, delay, what is due and not sent."),
        Later("schedule", f"{_HERE}.schedule:app", "Schedules: what is sent where, and when."),
        Later("template", f"{_HERE}.template:app", "Templates: a text and images to begin a schedule with."),
        Later("bulk", f"{_HERE}.bulk:app", "Sends to many rooms: how many got it, and what is missing."),
        Later("group", f"{_HERE}.bulk:groups", "Groups of rooms that are kept: by unit, kind and tag."),
        Later("room", f"{_HERE}.room:app", "Rooms: where messages go."),
        Later("bot", f"{_HERE}.bot:app", "Bots, and the devices that say they are one."),
        Later("delivery", f"{_HERE}.delivery:app", "Deliveries: what was sent, what was missed, what is under way."),
        Later("archive", f"{_HERE}.report:app", "Archives: finished months of deliveries."),
    ],
)


@app.callback()
def begin(ctx: typer.Context) -> None:
    shell: Shell = ctx.obj
    errors.add(KO)
    shell.next_commands.update(words.NEXT)
