"""Every error of the ground, the engine and its operating is said in Korean too."""

import importlib
import inspect
import pkgutil

import pabal.base
import pabal.engine
import pabal.platform.operating
from pabal.base.errors import PabalError
from pabal.platform.language.errors import engine, operating


def codes() -> set[str]:
    found = set()
    for package in (pabal.base, pabal.engine, pabal.platform.operating):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            members = inspect.getmembers(importlib.import_module(module.name), inspect.isclass)
            mine = [kind for _, kind in members if issubclass(kind, PabalError) and kind.__module__ == module.name]
            found |= {kind.code.fget(kind.__new__(kind)) for kind in mine}  # type: ignore[attr-defined]
    return found


def test_every_error_has_its_korean_sentence_and_no_sentence_is_left_over() -> None:
    said = engine.KO | operating.KO

    assert codes() - set(said) == set()
    assert set(said) - codes() == set()
    assert set(engine.KO) & set(operating.KO) == set()
