from pathlib import Path

import pytest
from aiosql import SQLParseException

from pabal.base.sql import load


def statements(tmp_path: Path, text: str):
    (tmp_path / "rooms.sql").write_text(text)
    return load(str(tmp_path / "rooms.py"))


def test_a_statement_is_an_attribute_with_its_parameters_in_order(tmp_path: Path):
    sql = statements(
        tmp_path, "-- name: find_room(name, unit)\nselect 1 where :unit::int > 0 and :name = 'a:b' and :unit < 9;\n"
    )

    assert sql.find_room.text == "select 1 where $1::int > 0 and $2 = 'a:b' and $1 < 9;"
    assert sql.find_room.arguments({"name": "x", "unit": 7}) == [7, "x"]


def test_a_part_is_put_in_place_of_a_word_with_its_parameters_behind(tmp_path: Path):
    text = "-- name: find_room(name)\nselect :name where their_own;\n-- name: part(unit)\n0 < :unit and :unit < 9;\n"
    sql = statements(tmp_path, text)

    whole = sql.find_room.put("their_own", sql.part)

    assert whole.text == "select $1 where 0 < $2 and $2 < 9;"
    assert whole.arguments({"unit": 7, "name": "x"}) == ["x", 7]


def test_a_missing_or_unknown_argument_is_refused(tmp_path: Path):
    sql = statements(tmp_path, "-- name: find_room(name)\nselect :name;\n")

    with pytest.raises(TypeError):
        sql.find_room.arguments({})
    with pytest.raises(KeyError):
        sql.find_room.arguments({"room": 1})


def test_an_undeclared_parameter_is_refused_when_the_file_is_loaded(tmp_path: Path):
    with pytest.raises(SQLParseException):
        statements(tmp_path, "-- name: find_room(name)\nselect :name, :unit;\n")


def test_an_unknown_statement_is_an_attribute_error(tmp_path: Path):
    sql = statements(tmp_path, "-- name: find_room(name)\nselect :name;\n")

    with pytest.raises(AttributeError, match="find_romo"):
        _ = sql.find_romo
