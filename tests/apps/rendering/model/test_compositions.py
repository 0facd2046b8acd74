import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.apps.rendering.model.compositions import (
    Composition,
    FieldName,
    is_flag_path_template,
    is_template_path,
    limit_of,
    place_in,
    read_field_name,
    single_key,
    slot_key,
)


@pytest.mark.req("B-41")
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Slot 1 - name", "Slot 1 - name"),
        (" slot 02-Last name ", "Slot 2 - Last name"),
        ("SINGLE - pot", "Single - pot"),
        ("Single - a - b", "Single - a - b"),
        ("flag 3", "Flag 3"),
    ],
)
def test_the_composed_keys_of_the_seed_are_read(text: str, key: str):
    name = read_field_name(text)

    assert name is not None
    assert name.key == key


@pytest.mark.parametrize(
    "text", ["name", "Slot - name", "Slot 0 - name", "Slot 101 - name", "Slot 1 -", "Single", "Flag"]
)
def test_other_names_are_no_fields(text: str):
    assert read_field_name(text) is None


@given(st.integers(1, 100), st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1))
def test_a_key_is_read_back_as_its_parts(number: int, field: str):
    assert read_field_name(slot_key(number, field)) == FieldName("slot", number, field)
    assert read_field_name(single_key(field)) == FieldName("single", None, field)


def test_the_limit_of_a_key_goes_before_the_one_of_its_field():
    composition = Composition("a", "A", "a.aep", text_limits={"name": 18, "Slot 2 - name": 12})

    assert [limit_of(composition, key) for key in ("Slot 1 - name", "Slot 2 - name", "Single - pot")] == [18, 12, None]


@pytest.mark.parametrize("folder", ["D:\\templates", "D:/templates/"])
def test_paths_that_are_not_whole_stand_below_the_folder_of_templates(folder: str):
    placed = place_in(Composition("a", "A", "main.aep", flag_path_template="flags/{country}.png"), folder)

    assert (placed.template_src, placed.flag_path_template) == (
        "D:/templates/main.aep",
        "D:/templates/flags/{country}.png",
    )


def test_a_whole_path_stays_where_it_is():
    composition = Composition("a", "A", "E:\\x\\main.aep")

    assert place_in(composition, "D:/templates").template_src == "E:/x/main.aep"
    assert place_in(composition, "D:/templates").flag_path_template is None


def test_what_a_template_and_a_flag_template_look_like():
    assert [is_template_path(path) for path in ("a.aep", "D:/b.AEPX", "a.mp4", "../a.aep", "http://x/a.aep")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert [
        is_flag_path_template(path) for path in ("f/{country}.png", "f/kr.png", "{country}/{x}.png", "../{country}")
    ] == [
        True,
        False,
        False,
        False,
    ]
