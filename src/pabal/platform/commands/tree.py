"""Commands named `module:function`: in lists and completion by name, imported when they run or help."""

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group


class Later(TyperCommand):
    """Stands for a command, or for a group of them; becomes it as soon as its arguments are to be read.

    `cls` names the class of a command that reads its arguments in a way of its own.
    """

    def __init__(self, name: str, where: str, help: str, *, cls: str = "") -> None:
        super().__init__(name=name, help=help, callback=None, rich_markup_mode=None)
        self._where, self._cls = where, cls

    def load(self) -> Any:
        return build(str(self.name), _find(self._where), _find(self._cls) if self._cls else TyperCommand)

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        return self.load().make_context(info_name, args, parent=parent, **extra)


def tree(name: str, help: str, commands: Sequence[Later]) -> typer.Typer:
    """A group whose commands are named: importing it imports none of them."""

    class Named(TyperGroup):
        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            for command in commands:
                self.add_command(command)

    return typer.Typer(name=name, help=help, cls=Named, no_args_is_help=True)


def build(name: str, found: typer.Typer | Callable[..., None], cls: type[TyperCommand] = TyperCommand) -> Any:
    root = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    if isinstance(found, typer.Typer):
        root.add_typer(found, name=name)
    else:
        root.command(name, cls=cls)(found)
    return get_group(root).commands[name]


def _find(where: str) -> Any:
    module, _, attribute = where.partition(":")
    return getattr(importlib.import_module(module), attribute)
