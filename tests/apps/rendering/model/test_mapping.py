from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.apps.rendering.model.compositions import Composition, FieldMapping, slot_key
from pabal.apps.rendering.model.gfx import parse
from pabal.apps.rendering.model.mapping import (
    Assigned,
    FlagUse,
    LayerAsset,
    TooLong,
    UnusablePicture,
    assign,
    warnings_of,
)

FLAGS = "D:/assets/flags/{country}.png"


def composition(**changes: Any) -> Composition:
    return Composition("mini", "_MAIN Mini Chip Count", "D:/templates/mini.aep", **changes)


def rows(*pairs: tuple[str, str], kind: Any = "text") -> list[FieldMapping]:
    return [FieldMapping("mini", field, layer, kind) for field, layer in pairs]


def texts(assigned: Assigned) -> dict[str, str]:
    return {asset.layer_name: asset.value for asset in assigned.assets}


def slot(number: int, **fields: Any) -> dict[str, Any]:
    return {"slot_number": number, "fields": fields}


@pytest.mark.req("B-33", "B-37")
def test_fields_of_a_slot_go_into_the_layers_of_its_number():
    gfx = parse({"slots": [slot(2, name="PHIL IVEY", stack=250), slot(1, name="ANA")]})
    mappings = rows(("Slot 1 - name", "Name 1"), ("Slot 2 - name", "Name 2"), ("Slot 2 - stack", "Stack 2"))

    assigned = assign(gfx, composition(), mappings)

    assert assigned.assets == (
        LayerAsset("text", "Name 1", "ANA", "Source Text", "Slot 1 - name"),
        LayerAsset("text", "Name 2", "PHIL IVEY", "Source Text", "Slot 2 - name"),
        LayerAsset("text", "Stack 2", "250", "Source Text", "Slot 2 - stack"),
    )


@pytest.mark.req("B-38", "B-41", "B-88")
def test_layer_names_come_from_the_rows_of_this_composition():
    gfx = parse({"single_fields": {"pot": 1200}})
    mappings = [
        FieldMapping("other", "Single - pot", "Wrong layer"),
        FieldMapping("mini", "Single - pot", "Pot total", property="Effects.Pot.Text"),
        FieldMapping("another", "Single - pot", "Wrong too"),
    ]

    [asset] = assign(gfx, composition(), mappings).assets

    assert (asset.layer_name, asset.value, asset.property) == ("Pot total", "1200", "Effects.Pot.Text")


@pytest.mark.req("B-42")
def test_a_field_without_a_mapping_is_skipped_and_reported():
    gfx = parse({"slots": [slot(3, nickname="X", name="A")], "single_fields": {"pot": ""}, "metadata": 1})

    assigned = assign(gfx, composition(), rows(("Slot 3 - name", "Name 3")))

    assert texts(assigned) == {"Name 3": "A"}
    assert assigned.report.unmapped == ("Slot 3 - nickname", "Single - pot", "metadata")
    named = {one.field for one in warnings_of(assigned.report) if one.code == "field_unmapped"}
    assert named == {"gfx_data/Slot 3 - nickname", "gfx_data/Single - pot", "gfx_data/metadata"}


def test_an_empty_slot_clears_the_texts_of_the_template_and_says_so():
    mappings = rows(("Slot 1 - name", "Name 1"), ("Slot 2 - name", "Name 2"), ("Slot 3 - name", "Name 3"))

    assigned = assign(parse({"slots": [slot(1, name="A"), slot(2, name="  ")]}), composition(), mappings)

    assert texts(assigned) == {"Name 1": "A", "Name 2": "", "Name 3": ""}
    assert (assigned.report.used, assigned.report.empty, assigned.report.unused) == (
        ("Slot 1 - name",),
        ("Slot 2 - name",),
        ("Slot 3 - name",),
    )
    codes = {one.field: one.code for one in warnings_of(assigned.report)}
    assert codes == {"gfx_data/Slot 2 - name": "field_empty", "gfx_data/Slot 3 - name": "mapping_unused"}


@pytest.mark.req("B-34")
def test_a_picture_is_named_by_its_path_and_left_out_without_one():
    mappings = rows(("Single - photo", "Photo"), ("Single - logo", "Logo"), ("Single - map", "Map"), kind="image")

    gfx = parse({"single_fields": {"photo": "D:\\photos\\a b.png", "logo": "http://example.com/logo.png"}})
    assigned = assign(gfx, composition(), mappings)

    assert [(asset.kind, asset.value) for asset in assigned.assets] == [("image", "D:/photos/a b.png")]
    assert assigned.report.pictures_unusable == (UnusablePicture("Single - logo", "http://example.com/logo.png"),)
    assert [one.code for one in warnings_of(assigned.report)] == ["picture_unused"]


@pytest.mark.req("B-35")
def test_an_expression_comes_from_the_mapping_or_from_the_actions_of_the_data():
    action = {
        "type": "expression",
        "params": {"layerName": "Clock", "property": "timeRemaining", "value": "time * 1000"},
    }
    gfx = parse({"single_fields": {"remaining": "60 - time"}, "actions": [action]})

    assigned = assign(gfx, composition(), rows(("Single - remaining", "Countdown"), kind="expression"))

    assert [(asset.kind, asset.layer_name, asset.property, asset.value) for asset in assigned.assets] == [
        ("expression", "Countdown", "Source Text", "60 - time"),
        ("expression", "Clock", "timeRemaining", "time * 1000"),
    ]


@pytest.mark.req("B-39")
@pytest.mark.parametrize("name", ["flags", "flag_fields"])
def test_flags_of_the_data_go_into_their_numbered_layers(name: str):
    gfx = parse({name: ["file://D:/assets/flags/United States.png"]})

    assigned = assign(gfx, composition(), [])

    assert assigned.assets == (LayerAsset("image", "Flag 1", "D:/assets/flags/United States.png", field="Flag 1"),)
    assert assigned.report.used == ("Flag 1",)


@pytest.mark.req("B-39")
def test_without_flags_they_are_derived_from_the_country():
    gfx = parse({"slots": [slot(1, name="A", country="South Korea"), slot(2, name="B", country="")]})

    assigned = assign(
        gfx, composition(flag_path_template=FLAGS), rows(("Slot 1 - name", "N1"), ("Slot 2 - name", "N2"))
    )

    assert [asset.value for asset in assigned.assets if asset.kind == "image"] == ["D:/assets/flags/South Korea.png"]
    assert assigned.report.flags == (
        FlagUse(1, "Flag 1", "derived", "South Korea", "D:/assets/flags/South Korea.png"),
        FlagUse(2, "Flag 2", "missing"),
    )
    assert "Slot 1 - country" in assigned.report.used


def test_a_mapping_names_the_layer_of_a_flag_and_a_country_may_stand_for_its_path():
    mapping = FieldMapping("mini", "Flag 1", "Leader Flag", "image")

    assigned = assign(parse({"flags": ["Japan"]}), composition(flag_path_template=FLAGS), [mapping])

    assert assigned.assets == (LayerAsset("image", "Leader Flag", "D:/assets/flags/Japan.png", field="Flag 1"),)


def test_a_flag_that_is_left_empty_is_not_derived_and_is_reported():
    gfx = parse({"flags": [""], "slots": [slot(1, country="Japan")]})

    report = assign(gfx, composition(flag_path_template=FLAGS), []).report

    assert report.flags == (FlagUse(1, "Flag 1", "empty"),)
    assert (report.empty, report.unmapped) == (("Flag 1",), ("Slot 1 - country",))
    assert {one.code for one in warnings_of(report)} >= {"flag_empty", "field_unmapped"}


@pytest.mark.parametrize(
    "country", ["../secret", "a/b", "C:", "a\\b", "$HOME", "%APPDATA%", ".", "x" * 81, "a|b", "{x}"]
)
def test_a_country_cannot_lead_out_of_the_folder_of_flags(country: str):
    gfx = parse({"slots": [slot(1, country=country)]})

    assigned = assign(gfx, composition(flag_path_template=FLAGS), [])

    assert assigned.assets == ()
    assert assigned.report.flags == (FlagUse(1, "Flag 1", "unusable", country),)


def test_a_text_that_is_too_long_is_measured_as_people_count():
    limits = {"name": 5, "Slot 2 - name": 7, "pot": 3}
    gfx = parse(
        {"slots": [slot(1, name="e\u0301" * 6), slot(2, name="한글이름일곱자")], "single_fields": {"pot": "1234"}}
    )
    mappings = rows(("Slot 1 - name", "N1"), ("Slot 2 - name", "N2"))

    report = assign(gfx, composition(text_limits=limits), mappings).report

    assert report.too_long == (TooLong("Slot 1 - name", 6, 5),)


VALUES = st.sampled_from(["", " ", "PHIL IVEY", "D:/a.png", "http://x/y.png", "../x"])
SLOTS = st.dictionaries(
    st.integers(1, 4), st.dictionaries(st.sampled_from(["name", "stack", "country"]), VALUES), max_size=4
)
MAPPED = st.dictionaries(
    st.tuples(st.integers(1, 5), st.sampled_from(["name", "stack", "country"])),
    st.sampled_from(["text", "image", "expression"]),
)


@given(slots=SLOTS, mapped=MAPPED, flags=st.lists(VALUES, max_size=3), template=st.sampled_from([None, FLAGS]))
def test_no_field_and_no_mapping_is_lost(slots: Any, mapped: Any, flags: list[str], template: str | None):
    gfx = parse({"slots": [slot(number, **fields) for number, fields in slots.items()], "flags": flags})
    mappings = [FieldMapping("mini", slot_key(*key), f"Layer {key}", kind) for key, kind in mapped.items()]

    assigned = assign(gfx, composition(flag_path_template=template), mappings)

    report = assigned.report
    told = [*report.used, *report.empty, *report.unused, *report.unmapped]
    assert len(told) == len(set(told))
    given = {*gfx.values(), *(f"Flag {n}" for n in gfx.flags)}
    known = {row.field_name for row in mappings}
    assert set(told) >= given | known
    assert set(report.unused) <= known - given
    assert set(report.unmapped) <= given - known
    sent = {asset.layer_name: asset.value for asset in assigned.assets if asset.kind == "text"}
    assert sent.keys() == {row.layer_name for row in mappings if row.kind == "text"}
