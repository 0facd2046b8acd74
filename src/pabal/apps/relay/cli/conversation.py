"""`pabal relay conv`: KakaoTalk users, and whom each is paired with."""

import typer

from pabal.apps.relay.resources.conversations import CONVERSATION
from pabal.platform.commands.resources import add_commands

app = typer.Typer(help="Conversations: KakaoTalk users, and whom each is paired with.", no_args_is_help=True)
add_commands(app, CONVERSATION)
