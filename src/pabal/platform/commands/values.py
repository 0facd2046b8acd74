"""Reads what was typed behind an option. Typer does it with pydantic, whose import takes longer than a whole help."""

import os
import re
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin

from typer.core import TyperArgument, TyperOption

_TYPERS = TyperOption.get_runtime_param
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}")


def read_plainly() -> None:
    """From now on, in this process. What we do not read is left to typer: rarer types, and values that are wrong."""
    for parameter in (TyperArgument, TyperOption):
        parameter.get_runtime_param = _make_reader  # type: ignore[method-assign, assignment]  # where typer makes its own


def _make_reader(param: Any) -> Any:
    return _Plain(param)


class _NotPlain(Exception):
    """Typer's to read."""


class _Plain:
    """In the place of typer's own reader of a parameter, which is made only when it is needed."""

    def __init__(self, param: Any) -> None:
        self._kind = param.type_descriptor.annotation
        self._info = param.type_descriptor.parameter_info

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        try:
            if get_origin(self._kind) is list and not isinstance(value, str):
                return [self._read(get_args(self._kind)[0], one) for one in value]
            return self._read(self._kind, value)
        except _NotPlain:
            return _TYPERS(param).coerce(value, param=param, ctx=ctx)

    def _read(self, kind: Any, value: Any) -> Any:
        info = self._info
        if info.parser is None and isinstance(kind, type):
            if kind in (str, bool) and isinstance(value, kind):
                return value
            if kind is int and not info.clamp:
                return _read_int(value, info.min, info.max)
            if issubclass(kind, Enum):
                return _choose(kind, value, is_exact=info.case_sensitive)
            if kind is Path and not (info.exists or info.resolve_path or info.path_type):
                return _read_path(value)
        raise _NotPlain


def _read_int(value: Any, least: float | None, most: float | None) -> int:
    if not _WHOLE_NUMBER.fullmatch(str(value)):
        raise _NotPlain
    number = int(value)
    if (least is not None and number < least) or (most is not None and number > most):
        raise _NotPlain
    return number


def _choose(kind: type[Enum], value: Any, *, is_exact: bool) -> Enum:
    for one in kind:
        if value is one or value == one.value or (not is_exact and str(value).casefold() == str(one.value).casefold()):
            return one
    raise _NotPlain


def _read_path(value: Any) -> Path:
    if not isinstance(value, str) or (os.path.exists(value) and not os.access(value, os.R_OK)):
        raise _NotPlain
    return Path(value)
