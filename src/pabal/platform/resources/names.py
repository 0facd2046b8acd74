"""Things named `module:attribute`: what a description refers to is imported when it is needed, not when it is read."""

import importlib
from typing import Any


def find_name(where: str) -> Any:
    module, _, attribute = where.partition(":")
    return getattr(importlib.import_module(module), attribute)
