import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.apps.rendering.model.compositions import Composition, FieldMapping, single_key, slot_key
from pabal.apps.rendering.model.mapping_files import Imported, read_csv, read_json, to_csv, to_json

HEADER = "id,name,template_src,width,flag_path_template,text_limits"
FIELDS = "composition_id,field_name,layer_name,kind,property"


def codes(found: Imported) -> list[tuple[str, str]]:
    return [(one.field, one.code) for one in found.findings]


@pytest.mark.req("B-88")
def test_the_three_columns_of_the_seeds_table_are_a_file():
    found = read_csv("composition_id,field_name,layer_name\nmini,Slot 1 - name,Name 1\n", known=["mini"])

    assert found == Imported((), (FieldMapping("mini", "Slot 1 - name", "Name 1", "text", "Source Text"),), ())


def test_both_tables_are_read_as_a_spreadsheet_saves_them():
    text = (
        "\ufeffID,Name,Template_src,width,flag_path_template,text_limits\r\n"
        'mini," Mini, small ",D:\\t\\mini.aep,1280,flags/{country}.png,"name=18; Slot 2-name = 12"\r\n'
        ",,,,,\r\n"
        "composition_id,field_name,layer_name,kind,,\r\n"
        "mini,slot 1 -name,Name 1,,,\r\n"
        "mini,Flag 1,Flag,,,\r\n"
        "mini,Single - photo,Photo,IMAGE,,\r\n"
    )

    found = read_csv(text)

    assert found.findings == ()
    assert found.compositions == (
        Composition(
            "mini",
            "Mini, small",
            "D:\\t\\mini.aep",
            width=1280,
            flag_path_template="flags/{country}.png",
            text_limits={"name": 18, "Slot 2 - name": 12},
        ),
    )
    assert [(one.field_name, one.layer_name, one.kind) for one in found.mappings] == [
        ("Slot 1 - name", "Name 1", "text"),
        ("Flag 1", "Flag", "image"),
        ("Single - photo", "Photo", "image"),
    ]


def test_every_mistake_of_a_csv_is_named_with_its_line():
    lines = [
        f"{HEADER},colour",
        "a,A,a.aep,1920,,",
        ",B,b.mp4,0,flags/kr.png,name",
        "a,Again,a.aep,,,",
        '"quoted\nname",C,c.aep,,,',
        "a,b,c.aep,1,,,,,too many",
        "",
        FIELDS,
        "a,Slot 1 - name,Name 1,,",
        "a,slot 1-name,Name 2,,",
        "a,Single - pot,Name 1,,",
        "a,name,Name 3,picture,",
        "z,Single - x,Layer,,",
        "a,Flag 1,Flag,text,",
        "a,Single - y,,,",
    ]

    found = read_csv("\n".join(lines))

    assert codes(found) == [
        ("lines/1/colour", "column_unknown"),
        ("lines/3/id", "cell_missing"),
        ("lines/3/template_src", "bad_template_src"),
        ("lines/3/width", "bad_number_in_cell"),
        ("lines/3/flag_path_template", "bad_flag_path_template"),
        ("lines/3/text_limits", "bad_text_limits"),
        ("lines/4/id", "composition_twice"),
        ("lines/5/id", "cell_not_text"),
        ("lines/7", "too_many_cells"),
        ("lines/11/field_name", "mapping_twice"),
        ("lines/12/layer_name", "layer_twice"),
        ("lines/13/field_name", "bad_field_name"),
        ("lines/13/kind", "bad_kind"),
        ("lines/14/composition_id", "composition_unknown"),
        ("lines/15/kind", "bad_kind"),
        ("lines/16/layer_name", "cell_missing"),
    ]
    assert [one.id for one in found.compositions] == ["a"]
    assert [one.layer_name for one in found.mappings] == ["Name 1"]
    twice = found.findings[9].text
    assert twice[0].startswith("Line 11: ")
    assert "line 10" in twice[0]
    assert twice[1].startswith("11행: ")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "import_empty"),
        ("\n ,,\n", "import_empty"),
        ("a,b,c\n1,2,3\n", "header_unknown"),
        ("composition_id,field_name,layer\nmini,Single - x,X\n", "column_missing"),
        (f"{FIELDS},kind\n", "column_twice"),
        (f'{FIELDS}\nmini,"Single - x,X\n', "csv_unreadable"),
    ],
)
def test_a_csv_of_another_form_says_what_is_needed(text: str, code: str):
    found = read_csv(text)

    assert code in [one.code for one in found.findings]
    assert (found.compositions, found.mappings) == ((), ())


def test_every_mistake_of_a_json_is_named_with_its_line():
    text = """{"compositions": [
      {"id": "a", "name": "A", "template_src": "a.aep", "width": true, "text_limits": {"name": 0}},
      {"id": 7, "name": "B", "template_src": "b.aep", "name": "C"}
    ], "mappings": [
      {"composition_id": 7, "field_name": "Single - x", "layer_name": "{[X"},
      {"composition_id": 7, "field_name": "Single - x",
       "layer_name": "Y"}, {"composition_id": 7, "field_name": ["Single"], "layer": "Z", "layer_name": "Z"}]}"""

    found = read_json(text)

    assert codes(found) == [
        ("lines/2/width", "bad_number_in_cell"),
        ("lines/2/text_limits", "bad_text_limits"),
        ("lines/3/name", "column_twice"),
        ("lines/6/field_name", "mapping_twice"),
        ("lines/7/layer", "column_unknown"),
        ("lines/7/field_name", "cell_not_text"),
    ]


def test_a_repetition_in_one_line_of_json_is_found():
    row = {"composition_id": "a", "field_name": "Single - x", "layer_name": "X"}

    found = read_json(json.dumps([row, row]), known=["a"])

    assert codes(found) == [("lines/1/field_name", "mapping_twice")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "import_empty"),
        ("{", "json_unreadable"),
        ("[" * 100_000, "json_unreadable"),
        ("3", "json_shape"),
        ("{}", "json_shape"),
        ('{"mapping": []}', "json_shape"),
        ('{"mappings": [3]}', "json_shape"),
        ('{"mappings": [], "mappings": []}', "json_shape"),
    ],
)
def test_a_json_of_another_form_says_what_is_needed(text: str, code: str):
    assert [one.code for one in read_json(text).findings] == [code]


def test_without_content_the_headers_are_a_form_to_fill_in():
    assert to_csv([], []).splitlines()[0].startswith("id,name,template_src,")
    assert read_csv(to_csv([], [])) == Imported((), (), ())


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=12).filter(
    lambda text: text == text.strip()
)
LIMITED = WORDS.filter(lambda text: not {";", "="} & set(text))
SECONDS = st.none() | st.floats(0, 86_400)
COMPOSITIONS = st.lists(
    st.builds(
        Composition,
        id=WORDS,
        name=WORDS,
        template_src=st.sampled_from(["main.aep", "D:\\t\\a b.aepx", "-x.aep", "'=1.aep"]),
        output_module=WORDS,
        output_ext=st.sampled_from(["mp4", "mov"]),
        width=st.integers(1, 16_384),
        height=st.integers(1, 16_384),
        codec=WORDS,
        duration_seconds=SECONDS,
        duration_tolerance=SECONDS,
        flag_path_template=st.none() | st.just("flags/{country}.png"),
        text_limits=st.dictionaries(LIMITED.map(single_key) | st.just("name"), st.integers(1, 5_000), max_size=3),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda one: one.id,
)


@st.composite
def files(draw: st.DrawFn) -> tuple[tuple[Composition, ...], tuple[FieldMapping, ...]]:
    compositions = draw(COMPOSITIONS)
    keys = st.builds(slot_key, st.integers(1, 100), WORDS) | WORDS.map(single_key)
    rows = st.builds(
        FieldMapping,
        composition_id=st.sampled_from([one.id for one in compositions]),
        field_name=keys,
        layer_name=WORDS,
        kind=st.sampled_from(["text", "image", "expression"]),
        property=WORDS,
    )
    unique: Any = (lambda one: (one.composition_id, one.field_name), lambda one: (one.composition_id, one.layer_name))
    return tuple(compositions), tuple(draw(st.lists(rows, max_size=6, unique_by=unique)))


@pytest.mark.req("B-10")
@given(files())
def test_csv_to_json_to_csv_loses_nothing(content: tuple[tuple[Composition, ...], tuple[FieldMapping, ...]]):
    first = to_csv(*content)

    from_csv = read_csv(first)
    from_json = read_json(to_json(from_csv.compositions, from_csv.mappings))

    assert from_csv == Imported(*content, ())
    assert from_json == from_csv
    assert to_csv(from_json.compositions, from_json.mappings) == first


@given(st.text())
def test_of_any_text_every_finding_has_a_line_that_is_there(text: str):
    lines = len(text.splitlines()) + 1

    for found in (read_csv(text), read_json(text)):
        assert all(1 <= int(one.field.split("/")[1]) <= lines and all(one.text) for one in found.findings)
