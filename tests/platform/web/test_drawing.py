"""Machines as drawings: whatever is declared, every move has its line and nothing covers anything."""

from collections.abc import Iterator
from enum import StrEnum
from itertools import combinations, pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pabal.base.database import Tx
from pabal.demo.kettle import KETTLE
from pabal.engine.machine import Machine, move
from pabal.platform.alerts import ALERT
from pabal.platform.web.drawing import Marks, StateText, draw
from pabal.platform.web.drawing.layout import lay_out
from pabal.platform.web.drawing.places import Box, Point, list_ways, place
from tests.support.adgroup import AD_GROUP

KNOWN = [KETTLE, ALERT, AD_GROUP]


async def load_none(tx: Tx, ids: list[int]) -> list[Any]:
    return []


def declare(moves: list[tuple[str, str, str]]) -> Machine:
    """From (source, event, target); a state nothing leads out of is an end."""
    names = list(dict.fromkeys(state for source, _, target in moves for state in (source, target)))
    sources = {source for source, _, _ in moves}
    return Machine(
        name="any",
        table="any.any",
        states=StrEnum("States", {name.upper(): name for name in names}),
        initial=moves[0][0],
        final=tuple(name for name in names if name not in sources),
        moves=tuple(move(event, source, target) for source, event, target in moves),
        loader=load_none,
    )


@st.composite
def machines(draw_: st.DrawFn) -> Machine:
    """A tree from the beginning, so that everything is reached, and any other moves, also back and to itself."""
    count = draw_(st.integers(2, 6))
    tree = [(draw_(st.integers(0, target - 1)), target) for target in range(1, count)]
    more = draw_(st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=7))
    events = st.sampled_from(["go", "stop", "a_rather_long_event", "retry", "expire_at_last", "x"])
    moves: dict[tuple[str, str], str] = {}
    for source, target in [*tree, *more]:
        wanted = draw_(events)
        free = next(e for e in (wanted, *(f"{wanted}_{n}" for n in range(20))) if (f"s{source}", e) not in moves)
        moves[f"s{source}", free] = f"s{target}"
    return declare([(source, event, target) for (source, event), target in moves.items()])


def texts(machine: Machine, word: str = "") -> dict[str, StateText]:
    return {str(one): StateText(word or str(one), f"{one} {word}", f"{one} {word}") for one in machine.states}


def moves_of(machine: Machine) -> set[tuple[str, str, str]]:
    return {(source, one.event, target) for one in machine.moves for source in one.sources for target in one.targets}


def lines_of(svg: ElementTree.Element) -> set[tuple[str, str, str]]:
    return {
        (line.attrib["data-from"], event, line.attrib["data-to"])
        for line in svg.iter("path")
        if "data-from" in line.attrib
        for event in line.attrib["data-events"].split()
    }


def classes(svg: ElementTree.Element, name: str) -> Iterator[tuple[ElementTree.Element, set[str]]]:
    for one in svg.iter():
        found = set(one.attrib.get("class", "").split())
        if name in found:
            yield one, found


def is_within(box: Box, whole: Box) -> bool:
    ends = (box.x + box.width, box.y + box.height)
    return min(box.x, box.y) >= 0 and ends[0] <= whole.width and ends[1] <= whole.height


def runs_through(a: Point, b: Point, box: Box) -> bool:
    """Lines end at a border; inside they have no business."""
    assert a.x == b.x or a.y == b.y
    line = Box(min(a.x, b.x), min(a.y, b.y), abs(a.x - b.x), abs(a.y - b.y))
    return line.overlaps(Box(box.x + 1, box.y + 1, box.width - 2, box.height - 2))


def assert_nothing_covers_anything(machine: Machine) -> None:
    layout = lay_out(machine)
    boxes = list(layout.boxes.values())
    labels = [label.box for label in layout.labels]
    assert not any(a.overlaps(b) for a, b in combinations([*boxes, *labels], 2))
    whole = Box(0, 0, layout.width, layout.height)
    assert all(is_within(one, whole) for one in [*boxes, *labels])
    segments = [Box(*corner, 0, 0) for drawn in layout.drawn for corner in drawn.points]
    assert all(is_within(one, whole) for one in segments)
    assert not any(
        runs_through(a, b, box) for drawn in layout.drawn for a, b in pairwise(drawn.points) for box in boxes
    )
    assert {event for label in layout.labels for line in label.lines for event in line} == set(machine.events)


@given(machines())
@settings(max_examples=25, deadline=None)
def test_any_machine_is_drawn_whole_and_nothing_covers_anything(machine: Machine) -> None:
    svg = ElementTree.fromstring(draw(machine, "any", texts(machine)))

    assert lines_of(svg) == moves_of(machine)
    assert {node.attrib["data-state"] for node, _ in classes(svg, "node")} == set(machine.states)
    assert_nothing_covers_anything(machine)


@given(st.text(max_size=40))
@settings(max_examples=60, deadline=None)
def test_whatever_the_words_are_the_drawing_can_be_read(word: str) -> None:
    marks = Marks(now="boiling", flag="now", refused={"scrap": word}, can={"click_off": "cold"})

    svg = ElementTree.fromstring(draw(KETTLE, word, texts(KETTLE, word), marks))

    assert lines_of(svg) == moves_of(KETTLE)


@pytest.mark.parametrize("machine", KNOWN, ids=lambda one: one.name)
def test_the_machines_we_have_are_drawn_whole(machine: Machine) -> None:
    svg = ElementTree.fromstring(draw(machine, machine.name, texts(machine)))

    assert lines_of(svg) == moves_of(machine)
    assert_nothing_covers_anything(machine)


def test_hostile_words_are_text() -> None:
    hostile = '<script>alert(1)</script>"&'

    svg = str(
        draw(KETTLE, hostile, texts(KETTLE, hostile), Marks(now="cold", flag=hostile, refused={"scrap": hostile}))
    )

    assert "<script" not in svg
    assert ElementTree.fromstring(svg).attrib["aria-label"] == hostile


def test_states_stand_by_their_distance_and_the_ends_come_last() -> None:
    columns = {state: spot.column for state, spot in place(AD_GROUP).items()}

    assert columns == {
        "draft": 0, "ready": 1, "approved": 2, "running": 3, "pending": 3, "paused": 4, "expired": 5, "deleted": 5,
    }  # fmt: skip


def test_a_choice_leads_to_both_and_events_between_the_same_two_share_a_line() -> None:
    twice = declare([("a", "go", "b"), ("a", "run", "b"), ("b", "stop", "c")])

    ways = {(way.source, way.target): way.events for way in list_ways(AD_GROUP)}

    assert ways["approved", "running"] == ways["approved", "pending"] == ("start",)
    assert [(way.source, way.target, way.events) for way in list_ways(twice)] == [
        ("a", "b", ("go", "run")),
        ("b", "c", ("stop",)),
    ]


def test_marks_show_where_it_is_was_and_may_go() -> None:
    marks = Marks(
        now="running",
        flag="지금",
        look="attn",
        seen_states=frozenset({"draft"}),
        seen_moves=frozenset({("draft", "complete_setup", "ready")}),
        can={"pause": "paused"},
        refused={"expire": "not yet over"},
    )

    svg = ElementTree.fromstring(draw(AD_GROUP, "ad groups", texts(AD_GROUP), marks))

    found = {(one.attrib["data-from"], one.attrib["data-to"]): kinds - {"edge"} for one, kinds in classes(svg, "edge")}
    assert {pair: kinds for pair, kinds in found.items() if kinds} == {
        ("draft", "ready"): {"seen"},
        ("running", "paused"): {"can"},
        ("running", "expired"): {"no"},
    }
    nodes = {one.attrib["data-state"]: kinds - {"node"} for one, kinds in classes(svg, "node")}
    assert {state: kinds for state, kinds in nodes.items() if kinds} == {
        "draft": {"seen"}, "running": {"now", "attn"}, "expired": {"end"}, "deleted": {"end"},
    }  # fmt: skip
    assert ["지금" in "".join(flag.itertext()) for flag, _ in classes(svg, "flag")] == [True]
    assert {way.attrib["aria-label"] for way, _ in classes(svg, "way")} == {
        "pause → paused",
        "expire → expired: expire: not yet over",
    }


def test_one_tabs_along_the_flow_and_what_is_next_follows_where_it_is() -> None:
    marks = Marks(now="boiling", can={"scrap": "scrapped"})

    svg = ElementTree.fromstring(draw(KETTLE, "kettle", texts(KETTLE), marks))

    stops = [one.attrib.get("data-state", "a way") for one in svg.iter() if one.attrib.get("tabindex") == "0"]
    assert stops == ["cold", "boiling", "a way", "scrapped"]


def test_a_state_with_an_address_is_a_link() -> None:
    states = {name: StateText(name, name, name, f"?state={name}&x=1") for name in ("cold", "boiling", "scrapped")}

    svg = ElementTree.fromstring(draw(KETTLE, "kettle", states))

    assert [one.attrib["href"] for one in svg.iter("a")] == [f"?state={s}&x=1" for s in states]


def test_the_same_machine_gives_the_same_drawing() -> None:
    again = declare([("a", "go", "b"), ("b", "back", "a"), ("b", "end", "c"), ("a", "end", "c")])
    twin = declare([("a", "go", "b"), ("b", "back", "a"), ("b", "end", "c"), ("a", "end", "c")])

    assert draw(again, "x", texts(again)) == draw(twin, "x", texts(twin))
