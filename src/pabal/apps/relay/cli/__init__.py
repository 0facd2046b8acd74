"""`pabal relay`: accounts, pairing, conversations and messages from the command line. Only `app` is for others."""

import typer

from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.shell import Shell
from pabal.platform.commands.tree import Later, tree
from pabal.platform.language import errors

with lazily():
    from pabal.apps.relay import errors as app_errors
    from pabal.apps.relay.cli import words

_HERE = "pabal.apps.relay.cli"
app = tree(
    "relay",
    "The KakaoTalk relay: accounts, pairing, conversations, messages.",
    [
        Later("account", f"{_HERE}.account:app", "Accounts: OpenClaw instances and their tokens."),
        Later("pair", f"{_HERE}.pair:app", "Pairing codes: how a KakaoTalk user is paired with an account."),
        Later("conv", f"{_HERE}.conversation:app", "Conversations: KakaoTalk users, and whom each is paired with."),
        Later("msg", f"{_HERE}.message:app", "Messages: what users said, and what became of it."),
        # `pabal sim kakao`, where somebody who runs a relay looks for it
        Later(
            "simulate",
            "pabal.apps.relay.simulator.command:kakao",
            "KakaoTalk's channel: lines typed are said by a user, and answers are shown.",
        ),
    ],
)


@app.callback()
def begin(ctx: typer.Context) -> None:
    shell: Shell = ctx.obj
    errors.add(app_errors.KO)
    shell.next_commands.update(words.NEXT)
