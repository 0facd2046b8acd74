from dataclasses import replace
from typing import Any

import pytest

from pabal.apps.rendering.model.compositions import Composition, FieldMapping
from pabal.apps.rendering.model.gfx import parse
from pabal.apps.rendering.model.mapping import Assigned, assign
from pabal.apps.rendering.model.preflight import FOR_ADMINISTRATORS, FileState, Observed, judge, pictures_of

COMPOSITION = Composition(
    "mini",
    "_MAIN Mini Chip Count",
    "D:/templates/mini.aep",
    flag_path_template="D:/flags/{country}.png",
    text_limits={"name": 5},
)
MAPPINGS = [
    FieldMapping("mini", "Slot 1 - name", "Name 1"),
    FieldMapping("mini", "Slot 2 - name", "Name 2"),
    FieldMapping("mini", "Single - photo", "Photo", "image"),
]
GOOD: dict[str, Any] = {
    "composition_name": COMPOSITION.name,
    "slots": [{"slot_number": 1, "fields": {"name": "ANA", "country": "Brazil"}}],
    "single_fields": {"photo": "D:/photos/ana.png"},
}
SEEN = Observed(
    template=FileState.READABLE,
    template_compositions=frozenset({COMPOSITION.name}),
    pictures={"D:/flags/Brazil.png": FileState.READABLE, "D:/photos/ana.png": FileState.READABLE},
    free_bytes=3 * 1024**3,
    nas_writable=True,
    nas_free_bytes=3 * 1024**3,
)


def assigned(data: dict[str, Any] = GOOD, mappings: list[FieldMapping] = MAPPINGS) -> Assigned:
    return assign(parse(data), COMPOSITION, mappings)


def codes(seen: Observed = SEEN, data: dict[str, Any] = GOOD, mappings: list[FieldMapping] = MAPPINGS) -> list[str]:
    return [one.code for one in judge(assigned(data, mappings), COMPOSITION, seen)]


def test_a_render_with_nothing_wrong_may_begin():
    assert codes() == []


def test_what_cannot_be_seen_from_here_is_no_reason_to_refuse():
    assert codes(Observed()) == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"template": FileState.MISSING}, "template_missing"),
        ({"template": FileState.UNREADABLE}, "template_unreadable"),
        ({"template": FileState.DAMAGED}, "template_damaged"),
        ({"template_compositions": frozenset({"Other"})}, "composition_not_in_template"),
        ({"pictures": {"D:/flags/Brazil.png": FileState.MISSING}}, "picture_missing"),
        ({"pictures": {"D:/photos/ana.png": FileState.UNREADABLE}}, "picture_unreadable"),
        ({"free_bytes": 2 * 1024**3 - 1}, "disk_low"),
        ({"nas_writable": False}, "nas_unwritable"),
        ({"nas_free_bytes": 0}, "nas_low"),
    ],
)
def test_each_thing_that_was_seen_to_be_wrong_is_found(change: dict[str, Any], code: str):
    assert codes(replace(SEEN, **change)) == [code]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({**GOOD, "composition_name": "Other"}, "composition_differs"),
        ({**GOOD, "slots": [{"fields": {"name": "TOO LONG", "country": "Brazil"}}]}, "text_too_long"),
        ({**GOOD, "slots": [{"fields": {"name": "ANA"}}]}, "flag_missing"),
        ({**GOOD, "slots": [{"fields": {"name": "ANA", "country": "../x"}}]}, "flag_unusable"),
        ({**GOOD, "single_fields": {"photo": "https://example.com/a.png"}}, "picture_unusable"),
        ({"single_fields": {"nmae": "ANA"}}, "nothing_mapped"),
    ],
)
def test_each_thing_that_is_wrong_with_the_data_is_found(data: dict[str, Any], code: str):
    assert codes(data=data) == [code]


def test_a_composition_without_a_mapping_is_refused():
    assert codes(data={"single_fields": {"pot": "1"}}, mappings=[]) == ["mapping_missing"]


def test_a_render_without_any_data_is_none_of_preflights_business():
    assert codes(data={}, mappings=[]) == []


def test_everything_that_is_wrong_is_told_at_once_with_its_field_in_both_languages():
    seen = Observed(
        template=FileState.MISSING, pictures={"D:/flags/Peru.png": FileState.MISSING}, free_bytes=0, nas_writable=False
    )
    slots = [{"fields": {"name": "MARIA ANA", "country": "Peru"}}, {"fields": {"name": "B"}}]
    data = {"composition_name": "Other", "slots": slots, "single_fields": {"photo": "ana.png"}}

    found = judge(assigned(data), COMPOSITION, seen)

    assert [(one.code, one.field) for one in found] == [
        ("template_missing", "template_src"),
        ("composition_differs", "composition_id"),
        ("text_too_long", "gfx_data/Slot 1 - name"),
        ("picture_unusable", "gfx_data/Single - photo"),
        ("flag_missing", "gfx_data/Flag 2"),
        ("picture_missing", "gfx_data/Flag 1"),
        ("disk_low", "disk"),
        ("nas_unwritable", "nas"),
    ]
    assert all(len(set(one.text)) == 2 for one in found)
    assert {one.code for one in found} & FOR_ADMINISTRATORS == {"template_missing"}


def test_the_pictures_to_look_for_are_named_once():
    flags = ["D:/flags/Brazil.png", "D:/flags/Brazil.png"]

    assert pictures_of(assigned({**GOOD, "flags": flags})) == ("D:/photos/ana.png", "D:/flags/Brazil.png")
