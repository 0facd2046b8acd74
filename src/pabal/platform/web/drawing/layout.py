"""A machine as shapes: the states in their places, the lines between them, every label where it covers nothing."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from pabal.engine.machine import Machine
from pabal.platform.web.drawing.places import Box, Drawn, Label, Layout, Point, list_ways, place
from pabal.platform.web.drawing.routes import Plan, Router

LINE_HEIGHT = 13
LETTER = 6.7
FULL_LINE = 24
# What makes a place worse: lines behind the text, then places further from the line it belongs to.
BEHIND, OVERHANGING, RAISED, FAR_SIDE, ALONE = 12, 7, 4, 16, 6


class Candidate(NamedTuple):
    box: Box
    worse: float


def put_labels(boxes: dict[str, Box], drawn: list[Drawn]) -> tuple[list[Label], list[int]]:
    """The labels that found a place, and the groups whose label did not."""
    groups: dict[int, list[Drawn]] = defaultdict(list)
    for one in drawn:
        groups[one.group].append(one)
    segments = {segment for one in drawn for segment in pairwise(one.points)}
    states = [*boxes.values(), *map(_flag, boxes.values())]
    labels: list[Label] = []
    missing: list[int] = []
    for group, members in groups.items():
        lines = break_lines(members[0].way.events)
        width, height = _measure(lines)
        taken = [*states, *(_widen(label.box) for label in labels)]
        found = [
            Candidate(one.box, one.worse + BEHIND * sum(_is_behind(segment, one.box) for segment in segments))
            for member in members
            for one in _list_candidates(member, members, boxes, (width, height))
            if not any(one.box.overlaps(box, 2) for box in taken)
        ]
        if found:
            labels.append(Label(group, lines, min(found, key=lambda one: one.worse).box))
        else:
            missing.append(group)
    return labels, missing


def break_lines(events: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    lines: list[list[str]] = [[]]
    for event in events:
        if lines[-1] and sum(map(len, lines[-1])) + len(event) > FULL_LINE:
            lines.append([])
        lines[-1].append(event)
    return tuple(map(tuple, lines))


def _measure(lines: tuple[tuple[str, ...], ...]) -> tuple[float, float]:
    longest = max(len(", ".join(line)) for line in lines)
    return longest * LETTER + 4, len(lines) * LINE_HEIGHT


def _list_candidates(
    drawn: Drawn, members: list[Drawn], boxes: dict[str, Box], size: tuple[float, float]
) -> Iterator[Candidate]:
    """Along each part of the line; in a group rather where several run together, which is towards the end."""
    parts = list(pairwise(drawn.points))
    others = [part for one in members if one is not drawn for part in pairwise(one.points)]
    width, height = size
    for number, (a, b) in enumerate(parts):
        worse = (len(parts) - number) * 0.5
        worse += ALONE if others and not any(_runs_along((a, b), other) for other in others) else 0
        places = _beside_level(a, b, width, height) if a.y == b.y else _beside_upright(a, b, width, height)
        yield from (Candidate(one.box, one.worse + worse) for one in places)
    if len(parts) == 1 and parts[0][0].y == parts[0][1].y:
        yield from _over_and_under(drawn, boxes, width, height)


def _beside_level(a: Point, b: Point, width: float, height: float) -> Iterator[Candidate]:
    length = abs(b.x - a.x)
    overhanging = 0 if length >= width + 8 else OVERHANGING
    for share, worse in ((0.5, 0.0), (0.35, 0.5), (0.65, 0.5), (0.2, 1.0), (0.8, 1.0)):
        left = a.x + (b.x - a.x) * share - width / 2
        yield Candidate(Box(left, a.y - height - 3, width, height), worse + overhanging)
        yield Candidate(Box(left, a.y + 3, width, height), worse + overhanging + 1.5)


def _beside_upright(a: Point, b: Point, width: float, height: float) -> Iterator[Candidate]:
    length = abs(b.y - a.y)
    overhanging = 0 if length >= height + 8 else OVERHANGING
    for share, worse in ((0.5, 1.0), (0.35, 1.5), (0.65, 1.5), (0.2, 2.0), (0.8, 2.0)):
        top = a.y + (b.y - a.y) * share - height / 2
        yield Candidate(Box(a.x + 4, top, width, height), worse + overhanging)
        yield Candidate(Box(a.x - 4 - width, top, width, height), worse + overhanging + 0.5)


def _over_and_under(drawn: Drawn, boxes: dict[str, Box], width: float, height: float) -> Iterator[Candidate]:
    """A short straight line between two neighbours: above or below them, over the gap."""
    a, b = drawn.points[0], drawn.points[-1]
    ends = (boxes[drawn.way.source], boxes[drawn.way.target])
    left = (a.x + b.x) / 2 - width / 2
    top, bottom = min(box.y for box in ends), max(box.y + box.height for box in ends)
    is_low = a.y > ends[0].y + ends[0].height / 2
    for shift in (0, -10, -20, -30, -45, -55, 10, 20, 30):
        worse = RAISED + abs(shift) / 20
        yield Candidate(Box(left + shift, top - height - 4, width, height), worse + (FAR_SIDE * 2 if is_low else 0))
        yield Candidate(Box(left + shift, bottom + 4, width, height), worse + (0 if is_low else FAR_SIDE))


def _flag(box: Box) -> Box:
    """Where the flag of a current state stands."""
    return Box(box.x - 7, box.y - 11, 40, 12)


def _widen(box: Box) -> Box:
    """Two labels in a row need air between them, or they read as one."""
    return Box(box.x - 10, box.y, box.width + 20, box.height)


def _runs_along(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    """On the same line and for a part of it together."""
    (a, b), (c, d) = one, other
    if a.y == b.y == c.y == d.y:
        return min(max(a.x, b.x), max(c.x, d.x)) > max(min(a.x, b.x), min(c.x, d.x))
    if a.x == b.x == c.x == d.x:
        return min(max(a.y, b.y), max(c.y, d.y)) > max(min(a.y, b.y), min(c.y, d.y))
    return False


def _is_behind(segment: tuple[Point, Point], box: Box) -> bool:
    (ax, ay), (bx, by) = segment
    line = Box(min(ax, bx), min(ay, by), abs(ax - bx), abs(ay - by))
    return line.overlaps(box, 1)


MARGIN = 14
MOST_GROWTHS = 60


@cache
def lay_out(machine: Machine) -> Layout:
    """The same for every reader, so it is made once; the words inside the states change nothing."""
    spots = place(machine)
    plan = Plan(spots, Router(spots).route(list_ways(machine)))
    for _ in range(MOST_GROWTHS):
        boxes, drawn = plan.measure()
        labels, missing = put_labels(boxes, drawn)
        if not missing:
            break
        for group in missing:
            plan.grow(group)
    return _frame(boxes, drawn, labels)


def _frame(boxes: dict[str, Box], drawn: list[Drawn], labels: list[Label]) -> Layout:
    """Moved so that all of it is inside, with a margin."""
    shapes = [*boxes.values(), *(label.box for label in labels)]
    points = [point for one in drawn for point in one.points]
    left = min([box.x for box in shapes] + [point.x for point in points]) - MARGIN
    top = min([box.y for box in shapes] + [point.y for point in points]) - MARGIN
    right = max([box.x + box.width for box in shapes] + [point.x for point in points]) + MARGIN
    bottom = max([box.y + box.height for box in shapes] + [point.y for point in points]) + MARGIN
    return Layout(
        right - left,
        bottom - top,
        {state: _move(box, left, top) for state, box in boxes.items()},
        tuple(Drawn(o.way, o.group, tuple(Point(x - left, y - top) for x, y in o.points)) for o in drawn),
        tuple(Label(label.group, label.lines, _move(label.box, left, top)) for label in labels),
    )


def _move(box: Box, left: float, top: float) -> Box:
    return Box(box.x - left, box.y - top, box.width, box.height)
