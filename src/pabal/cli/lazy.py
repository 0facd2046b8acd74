"""Commands whose modules are imported when they run, and those of the apps that are loaded here."""

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from pabal.cli.shell import Shell

if TYPE_CHECKING:
    from pabal.platform.slice import Slice


class Later(TyperCommand):
    """Stands for a command in lists and completion; becomes it as soon as its arguments are to be read."""

    def __init__(self, name: str, where: str, help: str) -> None:
        super().__init__(name=name, help=help, callback=None, rich_markup_mode=None)
        self._where = where

    def load(self) -> Any:
        module, _, attribute = self._where.partition(":")
        return build(str(self.name), getattr(importlib.import_module(f"pabal.{module}"), attribute))

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        return self.load().make_context(info_name, args, parent=parent, **extra)


class Tree(TyperGroup):
    """With the commands of each app under its name: `pabal messaging …`. A name of ours comes first."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*self.commands, *(name for name in self._apps(ctx, is_looking=True) if name not in self.commands)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        one = self._apps(ctx, is_looking=ctx.resilient_parsing).get(cmd_name)
        return None if one is None else build(cmd_name, importlib.import_module(one.commands).app)

    def _apps(self, ctx: Any, *, is_looking: bool) -> "dict[str, Slice]":
        """A broken app is named to whoever runs its command; it must not hide the help."""
        shell = shell_of(ctx)
        if not shell.has_apps:
            return {}
        from pabal.base.errors import PabalError

        try:
            return {one.name: one for one in shell.loaded if one.commands}
        except PabalError as error:
            if is_looking:
                return {}
            shell.fail(error)


def shell_of(ctx: Any) -> Shell:
    """The one of this command line: asked for before the callback when an app must be loaded to find its commands."""
    if ctx.obj is None:
        given = ctx.params
        lang = given.get("lang")
        ctx.obj = Shell(
            str(given.get("output") or "table"), None if lang is None else str(lang), tuple(given.get("apps") or ())
        )
    shell: Shell = ctx.obj
    return shell


def build(name: str, found: typer.Typer | Callable[..., None]) -> Any:
    root = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    if isinstance(found, typer.Typer):
        root.add_typer(found, name=name)
    else:
        root.command(name)(found)
    return get_group(root).commands[name]
