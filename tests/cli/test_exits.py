"""Each family of errors has its exit code and its next command."""

import importlib
import pkgutil

import pytest

import pabal
from pabal.apps.adgroups.errors import KO as ADS
from pabal.apps.messaging.errors import KO as MESSAGES
from pabal.base.errors import Conflict, Forbidden, Invalid, NotFound, PabalError, Unavailable
from pabal.base.settings import Settings, split_list
from pabal.cli.exits import _NEXT, NotRetryable, SomeFailed, exit_code, next_command
from pabal.platform.language.errors import korean
from pabal.platform.slice import load_slices


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PabalError(), 1),
        (Invalid(), 2),
        (NotFound(), 3),
        (Forbidden(), 4),
        (Conflict(), 5),
        (Unavailable(), 6),
        (SomeFailed(), 7),
    ],
)
def test_a_family_has_one_exit_code(error: PabalError, code: int) -> None:
    assert exit_code(error) == code


def test_an_error_names_the_next_command_with_its_subject() -> None:
    assert next_command(NotRetryable("", subject="job_1")) == "pabal why job_1"
    assert next_command(Unavailable()) == "pabal doctor"


def test_every_error_we_have_a_command_for_exists_and_every_error_is_said_in_korean() -> None:
    for module in pkgutil.walk_packages(pabal.__path__, "pabal."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    load_slices(split_list(Settings().apps))
    # What only the console raises, no command meets.
    met = ("pabal.base", "pabal.engine", "pabal.platform", "pabal.cli", "pabal.main", "pabal.serving")
    codes = {error.__new__(error).code for error in _below(PabalError) if error.__module__.startswith(met)}

    apps = {error.__new__(error).code for error in _below(PabalError) if error.__module__.startswith("pabal.apps")}
    said = {**korean(), **MESSAGES, **ADS}
    assert _NEXT.keys() - codes - apps == set()
    assert (codes | apps) - said.keys() == set()


def _below(family: type[PabalError]) -> set[type[PabalError]]:
    return {family}.union(*(_below(one) for one in family.__subclasses__()))
