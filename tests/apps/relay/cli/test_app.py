"""The tree of `pabal relay`: what changes something can be tried first, and what is said is said in both languages."""

import inspect
from string import Formatter

import pytest
import typer.main

from pabal.apps.relay import errors
from pabal.apps.relay.cli import account, app, pair, words
from pabal.apps.relay.resources import NOUNS
from pabal.apps.relay.resources.accounts import AccountTokenView, PairingCodeView
from pabal.base.errors import PabalError
from pabal.cli import sim
from pabal.platform.language.errors import korean
from pabal.platform.resources import View, columns_of
from tests.cli.inside import Inside
from tests.support.cli import leaves
from tests.support.relay import RelayWorld

SEEN = [
    *((noun.shows, noun.columns) for noun in NOUNS),
    *((noun.shows, listing.columns) for noun in NOUNS for listing in noun.listings),
    (AccountTokenView, ("token", *account.COLUMNS)),
    (PairingCodeView, ("code", *pair.COLUMNS)),
]


def test_every_command_that_changes_something_can_be_tried_first() -> None:
    found = dict(leaves("relay", typer.main.get_command(app)))
    changing = {path: one for path, one in found.items() if path.split()[-1] not in ("list", "show", "simulate")}

    assert len(changing) == 14
    assert [path for path, one in changing.items() if "dry_run" not in {each.name for each in one.params}] == []


def test_the_simulated_channel_is_found_beside_what_it_is_for() -> None:
    """One command under two names: what one can do, the other can."""
    [beside] = [one for path, one in leaves("relay", typer.main.get_command(app)) if path == "relay simulate"]
    [own] = [one for path, one in leaves("sim", typer.main.get_command(sim.app)) if path == "sim kakao"]

    assert inspect.unwrap(beside.callback) is inspect.unwrap(own.callback)
    assert [one.name for one in beside.params] == [one.name for one in own.params]


@pytest.mark.parametrize(("view", "columns"), SEEN)
def test_every_column_is_one_of_its_view(view: type[View], columns: tuple[str, ...]) -> None:
    assert [name for name in columns if name not in columns_of(view)] == []


def test_both_languages_take_the_same_values() -> None:
    pairs = [one for one in vars(words).values() if isinstance(one, tuple) and len(one) == 2]
    pairs += [verb.confirm for noun in NOUNS for verb in noun.verbs if verb.confirm]

    assert len(pairs) >= 4
    assert [pair for pair in pairs if _fields(pair[0]) != _fields(pair[1])] == []


def test_every_next_command_follows_an_error_that_exists() -> None:
    known = {one.__new__(one).code for one in vars(errors).values() if _is_error(one)}

    assert words.NEXT.keys() - known - korean().keys() == set()


@pytest.mark.parametrize(
    "line",
    [
        ("account", "edit", "비서", "--name", "다른 비서"),
        ("account", "disable", "비서"),
        ("conv", "block", "b0ts:kim"),
        ("conv", "unpair", "b0ts:kim"),
    ],
)
async def test_what_was_tried_is_shown_and_nothing_of_it_stays(
    run: Inside, world: RelayWorld, line: tuple[str, ...]
) -> None:
    lists = (("relay", "account", "list", "-o", "json"), ("relay", "conv", "list", "-o", "json"))
    before = [(await run(*one)).json for one in lists]

    tried = await run("relay", *line, "--dry-run", "-o", "json")

    assert (tried.code, "--dry-run" in tried.err) == (0, True)
    assert [(await run(*one)).json for one in lists] == before


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def _is_error(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, PabalError)
