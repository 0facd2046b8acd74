"""What an error says: English is its docstring, Korean stands here, one file per room."""

import importlib
import pkgutil
from functools import cache

from pabal.base.errors import Invalid, PabalError
from pabal.platform.language.pairs import Lang


def explain(error: PabalError, lang: Lang) -> str:
    """The sentence without the facts of the case; those are `error.detail`."""
    english = " ".join((type(error).__doc__ or "").split())
    return (korean().get(error.code) or english) if lang == "ko" else english


class CodeTaken(Invalid):
    """Two errors have one code, so that one would be explained by the other's sentence. Rename one of them."""


def add(sentences: dict[str, str]) -> None:
    """An app's, by code; saying them again changes nothing."""
    known = korean()
    taken = sorted(code for code, said in sentences.items() if known.get(code, said) != said)
    if taken:
        raise CodeTaken(", ".join(taken))
    known.update(sentences)


@cache
def korean() -> dict[str, str]:
    """By code. Each room has its own; apps add theirs."""
    said: dict[str, str] = {}
    for room in pkgutil.iter_modules(__path__):
        said |= importlib.import_module(f"{__name__}.{room.name}").KO
    return said
