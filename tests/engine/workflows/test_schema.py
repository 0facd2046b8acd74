"""Schemas of steps: what fits, what is hidden, and what is growth."""

import pytest

from pabal.engine.workflows import schema
from tests.engine.workflows.kinds_of_steps import TEXT
from tests.engine.workflows.kinds_of_steps import schema as made

OLD = made("room", room=TEXT, text=TEXT)


def test_a_schema_that_grows_takes_and_gives_all_it_did():
    new = made("room", room=TEXT, text={"anyOf": [TEXT, {"type": "null"}]}, loud={"type": "boolean"})

    assert schema.shrinkage(OLD, new, is_input=True) == []
    assert schema.shrinkage(OLD, made("room", "text", room=TEXT, text=TEXT, more=TEXT), is_input=False) == []


@pytest.mark.parametrize(
    ("new", "is_input", "why"),
    [
        (made("room", room=TEXT), True, ["text is gone"]),
        (made("room", room=TEXT), False, ["text is gone"]),
        (made("room", "text", room=TEXT, text=TEXT), True, ["text is required now"]),
        (made(room=TEXT, text=TEXT), False, ["room may be missing now"]),
        (made("room", room={"type": "integer"}, text=TEXT), True, ["room. changed its type"]),
        (made("room", room={"anyOf": [TEXT, {"type": "null"}]}, text=TEXT), False, ["room. changed its type"]),
    ],
)
def test_what_would_break_a_workflow_is_no_growth(new: dict[str, object], is_input: bool, why: list[str]):
    assert schema.shrinkage(OLD, new, is_input=is_input) == why


def test_secrets_are_hidden_wherever_they_are():
    secret = {"type": "string", "x-secret": True}
    given = made(
        key=secret,
        people={"type": "array", "items": {"$ref": "#/$defs/person"}},
        plain=TEXT,
    ) | {"$defs": {"person": made(name=TEXT, password=secret)}}

    shown = schema.hide(given, {"key": "k", "plain": "p", "people": [{"name": "a", "password": "b"}]})

    assert shown == {"key": "•••", "plain": "p", "people": [{"name": "a", "password": "•••"}]}


def test_a_value_of_several_forms_is_told_by_the_nearest():
    several = made(x={"anyOf": [made("a", a=TEXT), {"type": "null"}]})

    assert [one.code for one in schema.faults(several, {"x": {"a": 1}})] == ["bad_value"]
    assert schema.faults(several, {"x": None}) == []
