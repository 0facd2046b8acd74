"""`pabal sim`: stand-ins for what is outside, speaking the real protocol."""

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from pabal.cli.shell import Shell
from pabal.platform.commands.tree import Later

BOT = Later(
    "bot", "pabal.apps.messaging.simulator.command:bot", "A phone's bot: connects, answers, and shows what arrives."
)
KAKAO = Later(
    "kakao",
    "pabal.apps.relay.simulator.command:kakao",
    "KakaoTalk's channel: lines typed are said by a user, and answers are shown.",
)
OPENCLAW = Later(
    "openclaw",
    "pabal.apps.relay.simulator.command:openclaw_instance",
    "An OpenClaw instance: reads its mailbox, answers, and shows both.",
)
NEXRENDER = Later(
    "nexrender",
    "pabal.apps.rendering.simulator.command:nexrender",
    "A nexrender server with render machines: takes jobs, reports progress, writes videos.",
)


class Simulators(TyperGroup):
    """With those of the apps, which are imported when they run."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for simulator in (BOT, KAKAO, OPENCLAW, NEXRENDER):
            self.add_command(simulator)


app = typer.Typer(cls=Simulators, help="Simulators: stand-ins for what is outside.", no_args_is_help=True)


@app.callback()
def simulators() -> None:
    """Simulators: stand-ins for what is outside."""


@app.command()
def telegram(
    ctx: typer.Context,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port it listens on; 0: any free one.")] = 8443,
) -> None:
    """Telegram's Bot API, for any bot token; what arrived is at /sent. Stops with Ctrl-C."""
    shell: Shell = ctx.obj
    shell.run(_telegram(shell, port))


async def _telegram(shell: Shell, port: int) -> None:
    from pabal.cli.exits import PortTaken
    from pabal.cli.waiting import until_signalled
    from pabal.platform.notifications.simulator import Simulator

    try:
        simulator = Simulator(port=port)
    except OSError as error:
        raise PortTaken(f"{port}: {error.strerror or error}") from error
    async with simulator:
        typer.echo(f"PABAL_TELEGRAM_URL={simulator.url}")
        sys.stdout.flush()
        shell.tell("sim.telegram", url=simulator.url)
        await until_signalled()
