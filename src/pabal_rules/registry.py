"""Which functions of a script are rules, and which of them a run means."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

RuleFunction = Callable[..., Awaitable[Any]]
F = TypeVar("F", bound=RuleFunction)

_registered: dict[str, RuleFunction] = {}


class RuleMistake(Exception):
    """A function was registered in a way that no run could use."""


def rule(name: str) -> Callable[[F], F]:
    """Registers an `async def function(payload, context)` under a name that is unique in its script."""
    if not isinstance(name, str) or not name:
        raise RuleMistake('@rule needs a name in brackets: @rule("stock/check_price")')

    def register(function: F) -> F:
        is_async: bool = inspect.iscoroutinefunction(function)
        if not is_async:
            raise RuleMistake(f'the function of @rule("{name}") is not an async function: write "async def"')
        if name in _registered:
            raise RuleMistake(f'@rule("{name}") is there twice')
        _registered[name] = function
        return function

    return register


def list_names() -> list[str]:
    return sorted(_registered)


def find(name: "str | None", script: str) -> "RuleFunction | None":
    """The one of that name; without a name the only one, or the one that is called like its script."""
    if name is not None:
        return _registered.get(name)
    if len(_registered) == 1:
        return next(iter(_registered.values()))
    return _registered.get(name_of(script))


def name_of(script: str) -> str:
    """`stock/check_price.py` and `stock/check_price/main.py` are both called `stock/check_price`."""
    return script.removesuffix(".py").removesuffix("/main")


def forget_all() -> None:
    _registered.clear()
