"""Imports an app by name, from a module or a file, and names what is wrong with it."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from pabal.base.errors import Invalid, NotFound


class AppNotFound(NotFound, code="app_not_found"):
    """There is no such app to load. Name it as module:ATTRIBUTE or as path/to/file.py:ATTRIBUTE."""


class AppBroken(Invalid, code="app_broken"):
    """The app was found but could not be loaded."""


def import_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise AppBroken(f"{name}: {error}") from error
        raise AppNotFound(name) from error
    except Exception as error:  # a user's program may fail in any way while it is imported; it is named and passed on
        raise AppBroken(f"{name}: {type(error).__name__}: {error}") from error


def import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise AppNotFound(f"no file {path}")
    name = f"pabal_app_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise AppNotFound(str(path))
    module = importlib.util.module_from_spec(spec)
    # Registered before it runs, as an import does: dataclasses look their module up.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # as above
        raise AppBroken(f"{path}: {type(error).__name__}: {error}") from error
    return module
