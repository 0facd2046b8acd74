"""`pabal render`: jobs, workers, mappings and what is stuck, from the command line. Only `app` is for others."""

import typer

from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.shell import Shell
from pabal.platform.commands.tree import Later, tree
from pabal.platform.language import errors

with lazily():
    from pabal.apps.rendering import errors as app_errors
    from pabal.apps.rendering.cli import words

_HERE = "pabal.apps.rendering.cli"
app = tree(
    "render",
    "Rendering: jobs, workers, compositions and their mappings.",
    [
        Later("job", f"{_HERE}.job:app", "Render jobs: ask for one, watch it, cancel it, try it again."),
        Later("worker", f"{_HERE}.worker:app", "Workers: who renders, and who takes nothing for now."),
        Later("composition", f"{_HERE}.composition:app", "Compositions: what can be rendered."),
        Later("mapping", f"{_HERE}.mapping:app", "Mappings: which field goes into which layer, as files."),
        Later(
            "stuck",
            f"{_HERE}.stuck:stuck",
            "Lists jobs without progress, with a lost worker, or with a fault.",
        ),
        Later("stats", f"{_HERE}.stats:stats", "Says how rendering goes."),
    ],
)


@app.callback()
def begin(ctx: typer.Context) -> None:
    shell: Shell = ctx.obj
    errors.add(app_errors.KO)
    shell.next_commands.update(words.NEXT)
