"""`pabal msg`: schedules, templates, rooms, bots and sends from the command line. Only `app` is for others."""

import typer

from pabal.apps.messaging.cli import archive, bot, delivery, looking, report, room, saving, schedule, template
from pabal.apps.messaging.cli.words import NEXT
from pabal.apps.messaging.korean import KO
from pabal.platform.commands.shell import Shell
from pabal.platform.language import errors

app = typer.Typer(help="Scheduled KakaoTalk messages: schedules, rooms, bots, sends.", no_args_is_help=True)


@app.callback()
def begin(ctx: typer.Context) -> None:
    shell: Shell = ctx.obj
    errors.add(KO)
    shell.next_commands.update(NEXT)


saving.add_to(schedule.app)
app.add_typer(schedule.app, name="schedule")
app.add_typer(template.app, name="template")
app.add_typer(room.app, name="room")
app.add_typer(bot.app, name="bot")
app.add_typer(delivery.app, name="delivery")
app.add_typer(archive.app, name="archive")
app.command()(looking.limits)
app.command()(looking.preview)
app.command()(looking.load)
app.command()(report.report)
