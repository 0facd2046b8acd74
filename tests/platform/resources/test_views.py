from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from types import SimpleNamespace
from zoneinfo import ZoneInfo

from pabal.platform.resources import View, column, columns_of, field, plain, plain_json


class Colour(StrEnum):
    RED = "red"


class Leaf(View):
    """A leaf."""

    colour: Colour = field(("Colour", "색"), words={"red": ("red", "빨강")})


class Tree(View):
    """A tree."""

    name: str = field(("Name", "이름"), example="느티나무")
    grown_at: datetime | None = field(("Grown", "자란 때"))
    leaves: list[Leaf] = field(("Leaves", "잎"))

    @column(("Leaves", "잎 수"))
    def count(self, lang: str) -> int:
        return len(self.leaves)


def test_fields_stand_in_the_order_they_are_written():
    assert list(Tree.fields) == ["name", "grown_at", "leaves"]
    assert list(columns_of(Tree)) == ["name", "grown_at", "leaves", "count"]


def test_a_view_takes_what_the_row_has_and_what_is_shown_otherwise():
    row = SimpleNamespace(name="느티나무", grown_at=None, leaves="not these")

    assert Tree.of(row, leaves=[]) == Tree(name="느티나무", grown_at=None, leaves=[])


def test_every_value_is_written_in_one_way():
    seoul = datetime(2026, 7, 3, 9, tzinfo=ZoneInfo("Asia/Seoul"))
    tree = Tree(name="나무", grown_at=seoul, leaves=[Leaf(colour=Colour.RED)])

    assert plain(tree) == {"name": "나무", "grown_at": "2026-07-03T00:00:00Z", "leaves": [{"colour": "red"}]}
    assert plain([date(2026, 7, 3), time(9, 30), timedelta(minutes=2), {"a": (1, None)}]) == [
        "2026-07-03",
        "09:30:00",
        120.0,
        {"a": [1, None]},
    ]
    assert plain_json(Leaf(colour=Colour.RED)) == '{"colour":"red"}'
    assert plain(datetime(2026, 7, 3, 0, 0, 0, 5, tzinfo=UTC)) == "2026-07-03T00:00:00.000005Z"
