"""The commands of `pabal rule` itself, as its description says; the tree names each, so that a list imports none."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.apps.rules.resources.rules import RULE
from pabal.apps.rules.resources.runs import EXECUTION
from pabal.platform.commands.options import DryRun
from pabal.platform.commands.resources import add_commands, change_row, signed
from pabal.platform.commands.shell import Shell
from pabal.platform.resources import find_name

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.resources import Verb
    from pabal.platform.tenants import Scope


def _run_command(verb: Verb) -> Callable[..., None]:
    """Of a verb whose answer is a run, and no rule."""

    def command(ctx: typer.Context, which: str, dry_run: bool = False) -> None:
        shell: Shell = ctx.obj

        async def act(tx: Tx, scope: Scope) -> Any:
            rule = await find_name(RULE.named)(tx, scope, which)
            return await find_name(verb.action)(tx, shell.actor, rule.id)

        shell.run(change_row(shell, EXECUTION, act, dry_run=dry_run))

    named = (Annotated[str, typer.Argument(metavar="RULE", help=RULE.which)], Parameter.empty)
    return signed(command, verb.help, described=(RULE, verb), which=named, dry_run=(DryRun, False))


app = typer.Typer()
add_commands(app, RULE)
_found = {str(one.name): one.callback for one in app.registered_commands}
_verbs = {verb.name: verb for verb in RULE.verbs}
list_, show, new, edit = _found["list"], _found["show"], _found["new"], _found["edit"]
pause, resume, delete = _found["pause"], _found["resume"], _found["delete"]
run, dry_run = _run_command(_verbs["run"]), _run_command(_verbs["dry-run"])
