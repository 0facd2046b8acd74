"""`pabal render stats`: the queue, the last day, and a period by composition, day and reason."""

from typing import Any

import typer

from pabal.apps.rendering.resources.statistics import STATISTICS, StatisticsFilter
from pabal.platform.commands.options import OrgOption, unit_names
from pabal.platform.commands.resources import options_of, read_report, show_one, signed
from pabal.platform.commands.shell import Shell


def _stats(ctx: typer.Context, org: str | None = None, **given: Any) -> None:
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            view = await read_report(tx, shell, STATISTICS, org, given)
            names = await unit_names(tx)
        show_one(shell, STATISTICS, view, names)

    shell.run(work())


stats = signed(_stats, STATISTICS.help, **options_of(StatisticsFilter), org=(OrgOption, None))
