from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.apps.rendering.model.gfx import Gfx, LayerExpression, parse
from pabal.platform.findings import FieldsRefused

SEED: dict[str, Any] = {
    "composition_name": "_MAIN Mini Chip Count",
    "slots": [{"slot_number": 1, "fields": {"name": "PHIL IVEY", "stack": "250", "country": "United States"}}],
    "single_fields": {"table_id": "Table 1", "round_info": "Final Table"},
    "flags": ["D:/assets/flags/United States.png"],
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
SHAPED = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("composition_name", "slots", "single_fields", "flags", "flag_fields", "actions"), JSON),
)


def refuse(data: Any) -> dict[str, str]:
    with pytest.raises(FieldsRefused) as refused:
        parse(data)
    return {one.field: one.code for one in refused.value.findings}


def read(data: Any) -> Gfx | FieldsRefused:
    try:
        return parse(data)
    except FieldsRefused as refused:
        return refused


@pytest.mark.req("B-40")
def test_the_shape_of_the_seed_is_read():
    gfx = parse(SEED)

    assert gfx.composition_name == "_MAIN Mini Chip Count"
    assert gfx.values() == {
        "Slot 1 - name": "PHIL IVEY",
        "Slot 1 - stack": "250",
        "Slot 1 - country": "United States",
        "Single - table_id": "Table 1",
        "Single - round_info": "Final Table",
    }
    assert gfx.flags == {1: "D:/assets/flags/United States.png"}
    assert gfx.extra == ()


@pytest.mark.req("B-43")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (250, "250"),
        (2_250_000_000_000_000_000_000, "2250000000000000000000"),
        (12.5, "12.5"),
        (1e21, "1000000000000000000000"),
        (1e-7, "0.0000001"),
        (True, "true"),
        (None, ""),
        ("  두 줄\n이름 ", "  두 줄\n이름 "),
    ],
)
def test_every_value_becomes_a_text_as_people_write_it(value: Any, text: str):
    gfx = parse({"slots": [{"fields": {"stack": value}}], "single_fields": {"pot": value}})

    assert gfx.values() == {"Slot 1 - stack": text, "Single - pot": text}


def test_slots_without_numbers_are_counted_and_numbered_ones_keep_theirs():
    gfx = parse({"slots": [{"fields": {"name": "A"}}, {"slot_number": "7", "fields": {"name": "B"}}]})

    assert [slot.number for slot in gfx.slots] == [1, 7]


@pytest.mark.parametrize(
    ("flags", "numbered"),
    [
        ({"flags": ["D:/kr.png", "", None]}, {1: "D:/kr.png", 2: "", 3: ""}),
        ({"flag_fields": ["D:/kr.png"]}, {1: "D:/kr.png"}),
        ({"flag_fields": {"Flag 2": "D:/kr.png", "3": "D:/jp.png"}}, {2: "D:/kr.png", 3: "D:/jp.png"}),
        (
            {"flags": ["D:/kr.png"], "flag_fields": {"1": "D:/kr.png", "2": "D:/jp.png"}},
            {1: "D:/kr.png", 2: "D:/jp.png"},
        ),
        ({"flags": []}, {}),
        ({}, {}),
    ],
)
def test_flags_have_two_names_and_two_forms(flags: dict[str, Any], numbered: dict[int, str]):
    assert parse(flags).flags == numbered


@pytest.mark.req("B-35")
def test_the_seeds_list_of_actions_is_read_as_expressions():
    params = {"layerName": "Clock", "property": "timeRemaining", "value": "time * 1000"}

    gfx = parse({"actions": [{"type": "expression", "params": params}]})

    assert gfx.expressions == (LayerExpression("Clock", "timeRemaining", "time * 1000"),)


@pytest.mark.parametrize(
    "action",
    [
        {"module": "D:/anything.js"},
        {"type": "expression", "params": {"layerName": "Clock", "value": "time"}},
        {"type": "expression"},
        {"type": "script", "params": {"layerName": "a", "property": "b", "value": "c"}},
        "expression",
    ],
)
def test_an_action_that_could_load_a_module_or_is_incomplete_is_refused(action: Any):
    assert refuse({"actions": [action]}) == {"gfx_data/actions/0": "bad_action"}


def test_everything_that_is_wrong_is_said_at_once_in_both_languages():
    data = {
        "slots": [
            {"slot_number": 1, "fields": {"name": ["a"]}},
            {"slot_number": 1, "fields": "name"},
            {"slot_number": 0, "fields": {" ": "x"}},
            3,
        ],
        "single_fields": {"pot": "\0", "line": "x" * 5_001, " pot": "2"},
        "flags": "D:/kr.png",
        "actions": {"prerender": [{"module": "D:/anything.js"}]},
    }

    with pytest.raises(FieldsRefused) as refused:
        parse(data)

    found = {one.field: one.code for one in refused.value.findings}
    assert found == {
        "gfx_data/slots/0/fields/name": "value_not_text",
        "gfx_data/slots/1/slot_number": "slot_twice",
        "gfx_data/slots/1/fields": "gfx_not_object",
        "gfx_data/slots/2/slot_number": "bad_slot_number",
        "gfx_data/slots/2/fields": "field_name_missing",
        "gfx_data/slots/3": "gfx_not_object",
        "gfx_data/single_fields/pot": "field_twice",
        "gfx_data/single_fields/line": "value_too_long",
        "gfx_data/flags": "gfx_not_list",
        "gfx_data/actions": "gfx_not_list",
    }
    assert all(len(set(one.text)) == 2 and all(one.text) for one in refused.value.findings)


def test_two_pictures_for_one_flag_are_refused():
    assert refuse({"flags": ["D:/kr.png"], "flag_fields": ["D:/jp.png"]}) == {"gfx_data/flag_fields": "flags_differ"}


@pytest.mark.parametrize("data", [[], "text", 3])
def test_what_is_no_object_is_refused(data: Any):
    assert refuse(data) == {"gfx_data": "gfx_not_object"}


def test_more_than_a_template_can_show_is_refused():
    many = {f"field {n}": "x" for n in range(1_001)}

    assert refuse({"single_fields": many}) == {"gfx_data": "too_many_gfx_fields"}
    assert refuse({"slots": [{}] * 101}) == {"gfx_data/slots": "too_many_slots"}


def test_what_has_no_place_in_the_shape_is_named():
    gfx = parse({"metadata": 1, "slots": [{"photo": "x", "fields": {}}]})

    assert gfx.extra == ("metadata", "slots/0/photo")


@given(SHAPED)
def test_any_json_is_read_or_refused_with_findings(data: dict[str, Any]):
    found = read(data)

    if isinstance(found, FieldsRefused):
        assert found.findings
    else:
        assert all(isinstance(text, str) for text in found.values().values())
