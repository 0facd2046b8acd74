"""The commands of apps: found by the names of their packages, so that no app is loaded to list what it can do."""

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

from typer.core import TyperGroup

from pabal import apps
from pabal.base.errors import PabalError
from pabal.cli.shell import Shell
from pabal.platform.commands.tree import Later, build
from pabal.platform.loading import AppNotFound, import_module

if TYPE_CHECKING:
    import typer


def list_apps() -> list[Later]:
    """Of the apps that come with Pabal, in the order of their packages."""
    packages = [one.name for one in pkgutil.iter_modules(apps.__path__, f"{apps.__name__}.")]
    found = [(package, find_app(package)) for package in packages]
    return [Later(str(app.info.name), f"{name}.cli:app", str(app.info.help)) for name, app in found if app is not None]


def find_app(package: str) -> "typer.Typer | None":
    """`app` of its module `cli`. None: it has none, so that only its SLICE can say whether it has commands."""
    try:
        found: typer.Typer | None = getattr(import_module(f"{package}.cli"), "app", None)
    except AppNotFound:
        return None
    return found


class Tree(TyperGroup):
    """With the commands of each app that is named to us, under the app's name. A name of ours comes first."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*self.commands, *(name for name in self._apps(ctx, is_looking=True) if name not in self.commands)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        app = find_app(f"{apps.__name__}.{cmd_name}") if cmd_name.isidentifier() else None
        app = app or self._apps(ctx, is_looking=ctx.resilient_parsing).get(cmd_name)
        return None if app is None else build(cmd_name, app)

    def _apps(self, ctx: Any, *, is_looking: bool) -> "dict[str, typer.Typer]":
        """A broken app is named to whoever runs its command; it must not hide the help."""
        shell = shell_of(ctx)
        try:
            return _find_apps(shell)
        except PabalError as error:
            if is_looking:
                return {}
            shell.fail(error)


def _find_apps(shell: Shell) -> "dict[str, typer.Typer]":
    """A package's commands are in its `cli`; a file, or a package without one, must be loaded to learn of them."""
    found, has_more = {}, False
    for name in shell.named_apps:
        source = name.rpartition(":")[0] or name
        app = None if source.endswith(".py") else find_app(source)
        if app is None:
            has_more = True
        else:
            found[source.rpartition(".")[2]] = app
    if has_more:
        found |= {one.name: importlib.import_module(one.commands).app for one in shell.loaded if one.commands}
    return found


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
