"""`pabal rule draft`: a script and its test, proposed as a diff. It enters by your own commit, and by nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.shell import Shell

with lazily():
    from pabal.apps.rules.planner import asking
    from pabal.apps.rules.planner import drafting as files
    from pabal.apps.rules.planner import errors as planner_errors
    from pabal.apps.rules.skills import choosing, startup
    from pabal.apps.rules.skills import errors as skill_errors
    from pabal.base import settings
    from pabal.platform.language import errors

Request = Annotated[str, typer.Argument(metavar="REQUEST", help="What the script shall do, in your words.")]
Folder = Annotated[Path, typer.Option("--repository", metavar="FOLDER", help="The scripts' repository.")]
_EXAMPLE = ("Example {id} ({score}): {request}", "참고한 사례 {id} ({score}): {request}")


def draft(ctx: typer.Context, request: Request, repository: Folder = Path()) -> None:
    """Lets a language model propose a script and its test, as a diff on stdout. Nothing is written or run."""
    shell: Shell = ctx.obj
    errors.add({**planner_errors.KO, **skill_errors.KO})

    async def work() -> str:
        tools = choosing.make_tools(settings.read_app_settings(startup.SkillsStartup))
        async with shell.transaction() as tx:
            drafting = await asking.open_drafting(tx, shell.actor, tools, request)
        try:
            made = await drafting.run()
        finally:
            await tools.close()
        for one in drafting.examples:
            shell.tell(_EXAMPLE, id=one.case.id, request=one.case.request, score=f"{one.score:.2f}")
        told = ("{calls} calls, {tokens} tokens, ${cost}", "{calls}번 호출, 토큰 {tokens}개, ${cost}")
        shell.tell(told, calls=len(made.answers), tokens=made.tokens, cost=made.cost)
        return files.show_diff(made.files, files.read_existing(repository, list(made.files)))

    typer.echo(shell.run(work()), nl=False)
