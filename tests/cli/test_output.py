"""One answer in five forms; people see words, programs see every field."""

import csv
import io
import json
import re
from datetime import UTC, datetime

import pytest

from pabal.cli.output import Answer, write

AT = datetime(2026, 7, 3, tzinfo=UTC)
ROWS = [
    {"id": "job_1", "state": "done", "at": AT, "note": 'a,"b"\tc'},
    {"id": "job_2", "state": "failed", "at": None, "note": None},
]
ANSWER = Answer(("id", "state"), ROWS, extra={"next_cursor": "job_2"}, empty="config.none")


def written(capsys: pytest.CaptureFixture[str], form: str, answer: Answer = ANSWER) -> str:
    write(answer, form, "en")
    return capsys.readouterr().out


def test_json_holds_every_field_and_what_is_beside_the_rows(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(written(capsys, "json"))

    assert found["next_cursor"] == "job_2"
    assert found["items"][0] == {"id": "job_1", "state": "done", "at": "2026-07-03T00:00:00Z", "note": 'a,"b"\tc'}


def test_ndjson_is_one_row_per_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert [json.loads(line)["id"] for line in written(capsys, "ndjson").splitlines()] == ["job_1", "job_2"]


def test_csv_has_a_header_and_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    header, first, second = written(capsys, "csv").splitlines()

    assert header == "id,state,at,note"
    assert first == 'job_1,done,2026-07-03T00:00:00Z,"a,""b""\tc"'
    assert second == "job_2,failed,,"


EVIL = ["=cmd|'/c calc'!A1", "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "  =1", "-5 people"]


@pytest.mark.parametrize("text", EVIL)
def test_what_somebody_typed_is_no_formula_in_a_spreadsheet(capsys: pytest.CaptureFixture[str], text: str) -> None:
    answer = Answer(("id", "name", "n"), [{"id": 1, "name": text, "n": -5}])

    [_, row] = csv.reader(io.StringIO(written(capsys, "csv", answer), newline=""))
    cells = written(capsys, "plain", answer).rstrip("\n").split("\t")

    assert re.sub(r"[\t\n]", " ", row[1]) == cells[1]
    assert row[1].startswith("'")
    assert row[1].lstrip("' ").strip() == text.strip()
    assert (row[2], cells[2]) == ("-5", "-5")


def test_a_value_alone_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert written(capsys, "plain", Answer(("value",), [{"value": "-30m"}])) == "-30m\n"


def test_plain_is_the_columns_people_see_between_tabs(capsys: pytest.CaptureFixture[str]) -> None:
    assert written(capsys, "plain") == "job_1\tdone\njob_2\tfailed\n"


def test_a_table_says_states_by_sign_and_word_without_colour_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = written(capsys, "table")

    assert "✓ done" in table
    assert "✕ failed" in table
    assert "\x1b" not in table


def test_people_see_words_where_programs_see_codes(capsys: pytest.CaptureFixture[str]) -> None:
    row = {"level": "hq", "is_demo": True, "scopes": ["jobs:read", "facts:read"], "threshold": 300.0}

    write(Answer(tuple(row), [row]), "table", "ko")
    table = capsys.readouterr().out.splitlines()[1]
    plain = written(capsys, "plain", Answer(tuple(row), [row]))

    assert table.split() == ["본사", "예", "jobs:read,", "facts:read", "300"]
    assert plain == 'hq\tyes\t["jobs:read", "facts:read"]\t300.0\n'


def test_an_empty_table_says_so_to_the_person_not_to_the_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    write(Answer(("id",), [], empty="config.none"), "table", "en")

    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "No jobs.\n")


def test_markup_in_data_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert "[red]x[/red]" in written(capsys, "table", Answer(("id",), [{"id": "[red]x[/red]"}]))


@pytest.mark.parametrize("single", [False, True])
def test_what_others_typed_moves_no_cursor_in_a_table(capsys: pytest.CaptureFixture[str], single: bool) -> None:
    evil = "방\x1b[2J\x9b1A\x7f\r!"
    row = dict.fromkeys(("name", "state", "level", "scopes"), evil) | {"scopes": [evil]}

    table = written(capsys, "table", Answer(tuple(row), [row], single=single))
    whole = json.loads(written(capsys, "ndjson", Answer(tuple(row), [row], single=single)))

    assert table.count("방 [2J 1A  !") == 4
    assert [sign for sign in table if not sign.isprintable() and sign != "\n"] == []
    assert whole == row
