"""`pabal render stuck`: jobs that wait for somebody; with --release they are taken from their workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pabal.apps.rendering.resources.jobs import JOB
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun, OrgOption, Yes, see
from pabal.platform.commands.resources import show_rows
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.apps.rendering.model.renders import Render
    from pabal.base.database import Tx

with lazily():
    from pabal.apps.rendering.actions import renders as actions
    from pabal.apps.rendering.cli import words
    from pabal.apps.rendering.resources import rows
    from pabal.apps.rendering.store import renders

[_STUCK] = [one for one in JOB.listings if one.name == "list_stuck_render_jobs"]
Jobs = Annotated[list[str] | None, typer.Argument(metavar="[JOB]...", help="Only these; without any, all of the list.")]
Release = Annotated[bool, typer.Option("--release", help="Take them from their workers; others go on with them.")]


def stuck(
    ctx: typer.Context,
    jobs: Jobs = None,
    release: Release = False,
    org: OrgOption = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Lists jobs without progress, with a lost worker, or with a fault. --release lets them go."""
    shell: Shell = ctx.obj
    if release and not dry_run:
        count = shell.run(_count(shell, jobs or [], org))
        if count:
            shell.confirm(words.ASK_RELEASE, yes=yes, count=count)
    shell.run(_work(shell, jobs or [], org, is_release=release, dry_run=dry_run))


async def _count(shell: Shell, named: list[str], org: str | None) -> int:
    async with shell.transaction() as tx:
        return len(await _find(tx, shell, named, org))


async def _work(shell: Shell, named: list[str], org: str | None, *, is_release: bool, dry_run: bool) -> None:
    async with shell.change(dry_run=dry_run) as tx:
        found = await _find(tx, shell, named, org)
        if is_release:
            held = [one for one in found if one.worker_id is not None]
            found = [await actions.release_stuck(tx, shell.actor, one.id) for one in held]
        made = await rows.make_rows(tx, shell.opener, found)
        answer = await show_rows(tx, shell, JOB, made, _STUCK.columns, empty=words.NONE_STUCK)
    shell.show(answer)


async def _find(tx: Tx, shell: Shell, named: list[str], org: str | None) -> list[Render]:
    scope = await see(tx, shell, org)
    if not named:
        return await rows.read_stuck(tx, scope)
    ids = [(await rows.name_job(tx, scope, text, vault=shell.opener)).id for text in named]
    return [await renders.get_render(tx, scope, one) for one in dict.fromkeys(ids)]
