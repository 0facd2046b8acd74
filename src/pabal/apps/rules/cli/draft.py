"""`pabal rule draft`: a script and its test, proposed as a diff. It enters by your own commit, and by nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.shell import Shell
from pabal.platform.language.pairs import put

with lazily():
    from pabal.apps.rules.planner import asking
    from pabal.apps.rules.planner import drafting as files
    from pabal.apps.rules.planner import errors as planner_errors
    from pabal.apps.rules.recall import choosing as choosing_meanings
    from pabal.apps.rules.recall import labels
    from pabal.apps.rules.recall import model as recall
    from pabal.apps.rules.skills import choosing, startup
    from pabal.apps.rules.skills import errors as skill_errors
    from pabal.base import settings
    from pabal.platform.language import errors

Request = Annotated[str, typer.Argument(metavar="REQUEST", help="What the script shall do, in your words.")]
Folder = Annotated[Path, typer.Option("--repository", metavar="FOLDER", help="The scripts' repository.")]
Model = Annotated[str, typer.Option("--model", metavar="MODEL", help="Instead of the one of the settings.")]
_EXAMPLE = ("Example {id} ({score}, {why}): {request}", "참고한 사례 {id} ({score}, {why}): {request}")
_BY_WORDS = ("Examples were looked for by words alone. {why}", "사례를 낱말로만 찾았습니다. {why}")


def draft(ctx: typer.Context, request: Request, repository: Folder = Path(), model: Model = "") -> None:
    """Lets a language model propose a script and its test, as a diff on stdout. Nothing is written or run."""
    shell: Shell = ctx.obj
    errors.add({**planner_errors.KO, **skill_errors.KO})

    async def work() -> str:
        tools = choosing.make_tools(settings.read_app_settings(startup.SkillsStartup))
        try:
            async with shell.transaction() as tx:
                found = await asking.find_embedding(tx, shell.actor, tools, request)
            meant = await found.run() if isinstance(found, asking.Embedding) else found
            meaning = meant if isinstance(meant, recall.Meaning) else None
            async with shell.transaction() as tx:
                drafting = await asking.open_drafting(tx, shell.actor, tools, request, model=model, meaning=meaning)
            made = await drafting.run()
        finally:
            await tools.close()
        if isinstance(meant, choosing_meanings.NoMeanings):
            shell.tell(_BY_WORDS, why=put(shell.lang, labels.say_problem(meant.problem)))
        for one in drafting.examples:
            why = ", ".join(put(shell.lang, labels.WHY[each]) for each in one.why)
            shell.tell(_EXAMPLE, id=one.case.id, request=one.case.request, score=f"{one.score:.2f}", why=why)
        told = ("{calls} calls, {tokens} tokens, ${cost}", "{calls}번 호출, 토큰 {tokens}개, ${cost}")
        shell.tell(told, calls=len(made.answers), tokens=made.tokens, cost=made.cost)
        return files.show_diff(made.files, files.read_existing(repository, list(made.files)))

    typer.echo(shell.run(work()), nl=False)
