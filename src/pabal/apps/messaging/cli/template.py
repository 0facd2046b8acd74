"""`pabal msg template`: a text and images to begin a schedule with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from pabal.apps.messaging.cli import words
from pabal.apps.messaging.cli.trying import (
    Images1,
    Images2,
    Spread,
    Text,
    Try,
    check_files,
    in_words,
    read_text,
    trying,
    upload,
)
from pabal.apps.messaging.cli.words import reply, reply_one
from pabal.apps.messaging.model.content import NewTemplate, Template
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, DryRun, Limit, OrgOption, Yes, find_unit, see, tell_more
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.tenants import Scope

with lazily():
    from pabal.apps.messaging.actions import templates
    from pabal.apps.messaging.cli import finding
    from pabal.apps.messaging.cli import rows as views
    from pabal.apps.messaging.store import templates as store

app = typer.Typer(help="Templates: a text and images to begin a schedule with.", no_args_is_help=True)

Which = Annotated[str, typer.Argument(metavar="TEMPLATE", help="Its number, or its name.")]
COLUMNS = ("id", "name", "org", "text", "images_1", "images_2", "schedules", "sends", "updated_at")


@app.command("list")
def list_(
    ctx: typer.Context,
    q: Annotated[str | None, typer.Option("--find", help="A part of the name.")] = None,
    org: OrgOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:
    """By name, those of units above included."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            page = await store.list_templates(tx, await see(tx, shell, org), q=q, cursor=cursor, limit=limit)
        rows = [views.template_row(one) for one in page.items]
        shell.show(reply(COLUMNS, rows, extra={"next_cursor": page.cursor}, empty=words.NO_TEMPLATES))
        tell_more(shell, page.cursor)

    shell.run(work())


@app.command()
def show(ctx: typer.Context, template: Which) -> None:
    """One template."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await finding.find_template(tx, await see(tx, shell), template)
        _show(shell, found)

    shell.run(work())


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


@app.command()
def delete(ctx: typer.Context, template: Which, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Schedules made from it stay as they are."""
    shell: Shell = ctx.obj
    if not dry_run:
        shell.confirm(words.ASK_DELETE_TEMPLATE, yes=yes, template=template)

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await finding.find_template(tx, await see(tx, shell), template)
            await templates.delete(tx, shell.actor, found.id)
        _show(shell, found)

    shell.run(work())


def _show(shell: Shell, template: Template) -> None:
    shell.show(reply_one(shell, (*COLUMNS, "created_by", "created_at"), views.template_row(template)))


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
        with in_words(shell):
            if old is None:
                made = await templates.save(tx, shell.actor, new)
            else:
                made = await templates.edit(tx, shell.actor, old.id, new)
    _show(shell, made)
    if dry_run:
        shell.tell("dry_run")


async def _find(tx: Tx, scope: Scope, name: str, unit_id: int | None) -> Template | None:
    page = await store.list_templates(tx, scope, q=name, limit=200)
    same = " ".join(name.split())
    return next((one for one in page.items if (one.name, one.unit_id) == (same, unit_id)), None)


async def _with(shell: Shell, here: Try, new: NewTemplate, given: _Given) -> NewTemplate:
    if given.text is not None:
        new = replace(new, text=read_text(given.text))
    if given.images_1 is not None:
        new = replace(new, images_1=await upload(shell, here, given.images_1, new.unit_id))
    if given.images_2 is not None:
        new = replace(new, images_2=await upload(shell, here, given.images_2, new.unit_id))
    return new
