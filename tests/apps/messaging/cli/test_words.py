"""Both languages say the same, and every next command is of an error."""

from string import Formatter

from pabal.apps.messaging import errors
from pabal.apps.messaging.cli import words
from pabal.base.errors import PabalError
from pabal.platform.language.errors import korean


def test_both_languages_take_the_same_values() -> None:
    pairs = [one for one in vars(words).values() if isinstance(one, tuple) and len(one) == 2]
    pairs += words.USED.values()

    assert len(pairs) > 20
    assert [pair for pair in pairs if _fields(pair[0]) != _fields(pair[1])] == []


def test_every_next_command_follows_an_error_that_exists() -> None:
    known = {one.__new__(one).code for one in vars(errors).values() if _is_error(one)}

    assert words.NEXT.keys() - known - korean().keys() == set()


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def _is_error(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, PabalError)
