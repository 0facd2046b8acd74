"""What endpoints share: ids in their long form, moments on a wall clock, answers filled from rows."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError

from pabal.engine import ids
from pabal.engine.transitions import MoveNotAllowed
from pabal.platform.web.endpoints import LAST, Shown, answer, fill, long_id
from pabal.platform.web.problems import make_problem
from pabal.platform.web.wall import WallMoment, WallTime, Zone, aware

ID: TypeAdapter[Any] = TypeAdapter(Annotated[int, *long_id("adg")])


@pytest.mark.parametrize("number", [1, 2**53 + 1, LAST])
def test_an_id_is_read_as_it_is_shown_and_as_its_description_says(number: int):
    shown = ids.show("adg", number)

    assert ID.validate_python(shown) == number
    assert re.fullmatch(ID.json_schema()["pattern"], shown)
    with pytest.raises(ValidationError):
        ID.validate_python(shown.replace("adg_", "cmp_"))


@pytest.mark.parametrize("text", ["", "1", "adg_", "adg_1", "adg_zzzzzzzzzzzzz", "adg_000000000000u", "7"])
def test_what_is_no_id_is_refused(text: str):
    with pytest.raises(ValidationError):
        ID.validate_python(text)


def test_a_moment_without_an_offset_is_of_the_zone_beside_it():
    wall: TypeAdapter[datetime] = TypeAdapter(WallMoment)

    moments = [aware(wall.validate_python(text), "Asia/Seoul") for text in ("2026-07-01T09:00:00", "2026-07-01T00:00Z")]

    assert moments == [datetime(2026, 7, 1, tzinfo=UTC)] * 2


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        *((WallMoment, given) for given in ("7", 7, "1999-01-01T00:00:00")),
        *((WallTime, given) for given in ("9", 900, "09:00:00.5", "09:00Z")),
        *((Zone, given) for given in ("Asia/Atlantis", "../etc/passwd")),
    ],
)
def test_what_is_not_on_a_wall_clock_is_refused(kind: Any, given: Any):
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(given)


def test_an_answer_takes_from_a_row_what_has_the_same_name():
    class NoteShown(Shown):
        id: str
        text: str

    @dataclass
    class Note:
        id: int
        text: str
        secret: str = "not shown"

    shown = fill(NoteShown, Note(7, "안녕"), id="note_7")
    made = answer(shown, 201, location="/notes/7")

    assert made.body.decode() == '{"id":"note_7","text":"안녕"}'
    assert (made.status_code, made.headers["Location"]) == (201, "/notes/7")


def test_an_error_may_say_more_than_all_errors_do_but_not_otherwise():
    error = MoveNotAllowed("adgroup 7")
    error.members = {"report": [{"code": "has_begun"}], "status": 200}  # type: ignore[attr-defined]

    said = make_problem(error, lang="en", instance="/x", request_id="1").as_json()

    assert (said["report"], said["status"], said["code"]) == ([{"code": "has_begun"}], 409, "move_not_allowed")
