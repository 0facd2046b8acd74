"""`pabal plan`: asks for a workflow in words, and shows what became of it."""

from typing import Any

import typer
from typer.core import TyperGroup

from pabal.apps.rules.plans.resources import MODEL_USE, PLAN
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.resources import add_commands
from pabal.platform.language import errors

with lazily():
    from pabal.apps.rules.planner import errors as planner_errors
    from pabal.apps.rules.plans import errors as plan_errors

NEW = "new"


class WordsFirst(TyperGroup):
    """What is no command is a request: `pabal plan "지난주 AI 뉴스 요약해줘"`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        is_request = bool(args) and not args[0].startswith("-") and args[0] not in self.commands
        return super().resolve_command(ctx, [NEW, *args] if is_request else args)


app = typer.Typer(
    name="plan",
    help="Plans: workflows that a language model proposes and a person approves.",
    cls=WordsFirst,
    no_args_is_help=True,
)
add_commands(app, PLAN)
add_commands(app, MODEL_USE)


@app.callback()
def begin() -> None:
    errors.add({**planner_errors.KO, **plan_errors.KO})
