"""`pabal msg template`: a text and images to begin a schedule with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from pabal.apps.messaging.cli.uploads import (
    Images1,
    Images2,
    Spread,
    Text,
    Try,
    check_files,
    read_text,
    trying,
    upload,
)
from pabal.apps.messaging.model.content import NewTemplate, Template
from pabal.apps.messaging.resources.templates import TEMPLATE, MessageTemplateNew
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun, OrgOption, find_unit, see
from pabal.platform.commands.resources import add_commands, by_option, show_rows
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.tenants import Scope

with lazily():
    from pabal.apps.messaging.actions import templates
    from pabal.apps.messaging.store import templates as store

# as many units as anybody is in
_MOST = 1000
app = typer.Typer(help="Templates: a text and images to begin a schedule with.", no_args_is_help=True)

add_commands(app, TEMPLATE)


@app.command(cls=Spread)
def save(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="What it is called; one that is there is replaced.")],
    text: Text = None,
    images1: Images1 = None,
    images2: Images2 = None,
    org: OrgOption = None,
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of a template is an option
    """A new template, or another content for one that the unit has. What is not said stays."""
    shell: Shell = ctx.obj
    check_files(shell, text, images1, images2)
    given = _Given(name, text, images1, images2, org)
    shell.run(_save(shell, given, dry_run=dry_run))


@dataclass(frozen=True)
class _Given:
    name: str
    text: str | None
    images_1: list[str] | None
    images_2: list[str] | None
    org: str | None


async def _save(shell: Shell, given: _Given, *, dry_run: bool) -> None:
    async with trying(shell, dry_run=dry_run) as here:
        tx, scope = here.tx, await see(here.tx, shell)
        unit_id = scope.unit_id if given.org is None else (await find_unit(tx, given.org)).id
        old = await _find(tx, scope, given.name, unit_id)
        new = NewTemplate(given.name, unit_id=unit_id) if old is None else old.as_new()
        new = await _with(shell, here, new, given)
        with by_option(MessageTemplateNew):
            if old is None:
                made = await templates.save(tx, shell.actor, new)
            else:
                made = await templates.edit(tx, shell.actor, old.id, new)
        answer = await show_rows(tx, shell, TEMPLATE, [made], TEMPLATE.columns, single=True)
    shell.show(answer)
    if dry_run:
        shell.tell("dry_run")


async def _find(tx: Tx, scope: Scope, name: str, unit_id: int | None) -> Template | None:
    named = await store.list_named(tx, scope, " ".join(name.split()), most=_MOST)
    return next((one for one in named if one.unit_id == unit_id), None)


async def _with(shell: Shell, here: Try, new: NewTemplate, given: _Given) -> NewTemplate:
    if given.text is not None:
        new = replace(new, text=read_text(given.text))
    if given.images_1 is not None:
        new = replace(new, images_1=await upload(shell, here, given.images_1, new.unit_id))
    if given.images_2 is not None:
        new = replace(new, images_2=await upload(shell, here, given.images_2, new.unit_id))
    return new
