"""Both languages say the same, every column that people see is one of its view, every next command is of an error."""

from inspect import signature
from string import Formatter

import pytest

from pabal.apps.adgroups import errors
from pabal.apps.adgroups.cli import events, migration, serving, words
from pabal.apps.adgroups.model.adgroups import Event
from pabal.apps.adgroups.resources import NOUNS
from pabal.apps.adgroups.resources import events as event_views
from pabal.apps.adgroups.resources.migration import RunRowView
from pabal.apps.adgroups.resources.names import TimedEvent
from pabal.apps.adgroups.resources.serving import CHECK_COLUMNS, ServingCheckView, ServingView
from pabal.base.errors import PabalError
from pabal.platform.language.errors import korean
from pabal.platform.resources import View, columns_of

SEEN = [
    *((noun.shows, noun.columns) for noun in NOUNS),
    *((noun.shows, listing.columns) for noun in NOUNS for listing in noun.listings),
    (event_views.SentView, events.SENT_COLUMNS),
    (event_views.ExplainedView, events.EXPLAIN_COLUMNS),
    (event_views.StretchView, events.FORECAST_COLUMNS),
    (event_views.ChangeView, events.HISTORY_COLUMNS),
    (event_views.StatusAtView, events.AT_COLUMNS),
    (RunRowView, migration.ROW_COLUMNS),
    (ServingView, serving.FIELDS),
    (ServingCheckView, CHECK_COLUMNS),
]


@pytest.mark.parametrize(("view", "columns"), SEEN)
def test_every_column_is_one_of_its_view_and_has_a_word_in_both_languages(
    view: type[View], columns: tuple[str, ...]
) -> None:
    known = columns_of(view)

    assert [name for name in columns if name not in known] == []
    assert [name for name, about in known.items() if not all(about.label)] == []


def test_both_languages_take_the_same_values() -> None:
    pairs = [one for one in vars(words).values() if isinstance(one, tuple) and len(one) == 2]

    assert len(pairs) >= 6
    assert [pair for pair in pairs if _fields(pair[0]) != _fields(pair[1])] == []


def test_every_next_command_follows_an_error_that_exists() -> None:
    known = {one.__new__(one).code for one in vars(errors).values() if _is_error(one)}

    assert words.NEXT.keys() - known - korean().keys() == set()


def test_every_event_can_be_sent_and_the_clocks_can_be_fired() -> None:
    [sent] = [one for one in signature(events.send).parameters.values() if one.name == "event"]

    assert "Event" in str(sent.annotation)
    assert {one.lower() for one in TimedEvent} < set(Event)


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def _is_error(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, PabalError)
