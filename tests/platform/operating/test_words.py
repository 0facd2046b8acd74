"""Every error of the ground, the engine and its operating is said in Korean too."""

import importlib
import inspect
import pkgutil
from types import ModuleType

import pabal.base
import pabal.engine
import pabal.platform.operating
from pabal.base.errors import PabalError
from pabal.platform.language.errors import KO


def codes(*packages: ModuleType) -> set[str]:
    found = set()
    for package in packages:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            found |= set() if module.name.endswith(".__main__") else codes_of(importlib.import_module(module.name))
    return found


def codes_of(module: ModuleType) -> set[str]:
    members = inspect.getmembers(module, inspect.isclass)
    mine = [kind for _, kind in members if issubclass(kind, PabalError) and kind.__module__ == module.__name__]
    return {kind.code for kind in mine}


def test_every_error_of_the_engine_has_its_korean_sentence() -> None:
    assert codes(pabal.base, pabal.engine, pabal.platform.operating) - set(KO) == set()


def test_no_sentence_is_left_over() -> None:
    assert set(KO) - codes(pabal) == set()
