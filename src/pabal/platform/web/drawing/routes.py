"""Finds the lines between states: right angles only, around the states, each on tracks of its own where it can be.

The plane is a grid of tracks without lengths yet: between two columns and between two rows of states there are
tracks, and each state has a few of its own, its ports. A line is the cheapest path; what costs is in the constants.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from pabal.platform.web.drawing.places import Box, Drawn, Point, Spot, Way

TRACKS = 5
PORTS_ACROSS, PORTS_DOWN = 5, 3
BEND, CROSSING, TOUCHING, SHARING, TAKEN = 34, 26, 90, 700, 400
STEP_ACROSS, STEP_DOWN = 16, 15
OFF_CENTRE = 20
ALONG_OWN = 0.25


class Node(NamedTuple):
    """A crossing of two tracks."""

    x: int
    y: int


class Heading(NamedTuple):
    dx: int
    dy: int

    @property
    def is_level(self) -> bool:
        return self.dx != 0

    @property
    def back(self) -> "Heading":
        return Heading(-self.dx, -self.dy)


RIGHT, LEFT, DOWN, UP = Heading(1, 0), Heading(-1, 0), Heading(0, 1), Heading(0, -1)
HEADINGS = (RIGHT, LEFT, DOWN, UP)


class Port(NamedTuple):
    """Where a line may leave or enter a state: the crossing just outside, and the way out of the state."""

    outside: Node
    out: Heading
    cost: float


@dataclass(frozen=True, slots=True)
class Line:
    """`path` goes from the crossing outside the source to the one outside the target."""

    way: Way
    group: int
    path: tuple[Node, ...]
    out: Heading
    into: Heading


Place = tuple[Node, Heading]


@dataclass
class Router:
    """Lines that say the same and lead to the same state are a group: they may run together, but not with a loop."""

    spots: dict[str, Spot]
    lines: list[Line] = field(default_factory=list)
    _segments: dict[tuple[Node, Node], set[int]] = field(default_factory=lambda: defaultdict(set))
    _levels: dict[Node, set[tuple[int, bool]]] = field(default_factory=lambda: defaultdict(set))
    _taken: dict[tuple[Node, Heading], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns, rows = (1 + max(spot[part] for spot in self.spots.values()) for part in (0, 1))
        self._width = columns * (TRACKS + PORTS_ACROSS) + TRACKS
        self._height = rows * (TRACKS + PORTS_DOWN) + TRACKS
        self._inside = {node for spot in self.spots.values() for node in _list_inside(spot)}

    def route(self, ways: Iterable[Way]) -> list[Line]:
        """The short ones first: the long ones have more room to go around them."""
        groups: dict[tuple[str, tuple[str, ...], bool], list[Way]] = defaultdict(list)
        for way in ways:
            groups[way.target, way.events, way.source == way.target].append(way)
        ordered = sorted(groups.values(), key=lambda group: min(map(self._distance, group)))
        for number, group in enumerate(ordered):
            for way in sorted(group, key=self._distance):
                self._keep(self._find(way, number))
        return self.lines

    def _distance(self, way: Way) -> int:
        a, b = self.spots[way.source], self.spots[way.target]
        return abs(a.column - b.column) + 2 * abs(a.row - b.row) + (3 if b.column <= a.column else 0)

    def _keep(self, line: Line) -> None:
        self.lines.append(line)
        self._taken[line.path[0], line.out] = line.group
        self._taken[line.path[-1], line.into.back] = line.group
        for a, b in pairwise(line.path):
            self._segments[min(a, b), max(a, b)].add(line.group)
            for node in (a, b):
                self._levels[node].add((line.group, a.y == b.y))
        self._levels[line.path[0]].add((line.group, line.out.is_level))
        self._levels[line.path[-1]].add((line.group, line.into.is_level))

    def _find(self, way: Way, group: int) -> Line:
        """Dijkstra over (crossing, heading); a state is entered only at the end, through a port."""
        goals = {port.outside: port for port in self._ports(way.target, group, is_target=True)}
        came: dict[Place, Place | None] = {}
        queue: list[tuple[float, int, Place, Place | None, Port | None]] = []
        for start in self._ports(way.source, group, is_target=False):
            heapq.heappush(queue, (start.cost, len(queue), (start.outside, start.out), None, None))
        number = len(queue)
        while queue:
            cost, _, place, before, port = heapq.heappop(queue)
            if port is not None:
                return self._line(way, group, came, place, port)
            if place in came:
                continue
            came[place] = before
            for price, there, entered in self._steps(place, group, goals):
                if entered is not None or there not in came:
                    number += 1
                    heapq.heappush(queue, (cost + price, number, there, place, entered))
        raise LookupError(f"no way from {way.source} to {way.target}")  # the outermost tracks go around everything

    def _line(self, way: Way, group: int, came: dict[Place, Place | None], last: Place, port: Port) -> Line:
        path, place = [last], came[last]
        while place is not None:
            path.insert(0, place)
            place = came[place]
        return Line(way, group, tuple(node for node, _ in path), path[0][1], port.out.back)

    def _steps(self, place: Place, group: int, goals: dict[Node, Port]) -> Iterator[tuple[float, Place, Port | None]]:
        node, heading = place
        port = goals.get(node)
        if port is not None and heading != port.out:
            yield port.cost + self._turn(place, port.out.back, group), place, port
        for ahead in HEADINGS:
            there = Node(node.x + ahead.dx, node.y + ahead.dy)
            if ahead == heading.back or there in self._inside or not self._is_on_grid(there):
                continue
            yield self._turn(place, ahead, group) + self._price(node, there, group), (there, ahead), None

    def _turn(self, place: Place, ahead: Heading, group: int) -> float:
        if ahead == place[1]:
            return 0
        others = any(owner != group for owner, _ in self._levels.get(place[0], ()))
        return BEND + (TOUCHING if others else 0)

    def _price(self, node: Node, there: Node, group: int) -> float:
        is_level = node.y == there.y
        length = STEP_ACROSS if is_level else STEP_DOWN
        owners = self._segments.get((min(node, there), max(node, there)), ())
        if group in owners:
            return length * ALONG_OWN
        met = {level for owner, level in self._levels.get(there, ()) if owner != group}
        meeting = TOUCHING if is_level in met else CROSSING if met else 0
        return length + meeting + (SHARING if owners else 0)

    def _is_on_grid(self, node: Node) -> bool:
        return 0 <= node.x < self._width and 0 <= node.y < self._height

    def _ports(self, state: str, group: int, *, is_target: bool) -> Iterator[Port]:
        for outside, out, off in list_ports(self.spots[state]):
            owner = self._taken.get((outside, out))
            taken = 0 if owner is None or (is_target and owner == group) else TAKEN
            yield Port(outside, out, off * OFF_CENTRE + taken)


def first_port(spot: Spot) -> Node:
    """The crossing of a state's leftmost and topmost tracks."""
    x = TRACKS + spot.column * (TRACKS + PORTS_ACROSS)
    return Node(x, TRACKS + spot.row * (TRACKS + PORTS_DOWN))


def list_ports(spot: Spot) -> Iterator[tuple[Node, Heading, float]]:
    """With how far each is from the middle of its side; of two lines between neighbours the second runs below."""
    left, top = first_port(spot)
    for number in range(PORTS_DOWN):
        off = abs(number - PORTS_DOWN // 2) + (0.2 if number < PORTS_DOWN // 2 else 0)
        yield Node(left + PORTS_ACROSS, top + number), RIGHT, off
        yield Node(left - 1, top + number), LEFT, off
    for number in range(PORTS_ACROSS):
        off = abs(number - PORTS_ACROSS // 2)
        yield Node(left + number, top + PORTS_DOWN), DOWN, off
        yield Node(left + number, top - 1), UP, off


def _list_inside(spot: Spot) -> Iterator[Node]:
    left, top = first_port(spot)
    for x in range(PORTS_ACROSS):
        for y in range(PORTS_DOWN):
            yield Node(left + x, top + y)


WIDTH, HEIGHT = 114, 54
# The least gap with nothing in it, the room before the first and after the last line in it, and between two lines.
GAP_ACROSS, GAP_DOWN = 34, 30
EDGE_ACROSS, EDGE_DOWN = 18, 20
NEXT_ACROSS, NEXT_DOWN = 14, 18
MARGIN = 12
GROWTH = 14


@dataclass
class Axis:
    """Gaps and states by turns along one direction; the gaps are as wide as what runs in them."""

    count: int
    ports: int
    size: float
    sizes: tuple[float, float, float]
    used: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    slack: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    begins: list[float] = field(default_factory=list)
    tracks: dict[int, float] = field(default_factory=dict)

    def use(self, track: int) -> None:
        """A line runs along it, not only across."""
        gap = self.gap_at(track)
        if gap is not None:
            self.used[gap].add(track)

    def measure(self) -> None:
        """Where each state begins and each used track runs."""
        at = 0.0
        self.begins.clear()
        for gap in range(self.count + 1):
            width = self._width(gap)
            self._set_tracks(sorted(self.used[gap]), at, width)
            at += width
            if gap < self.count:
                first = TRACKS + gap * (TRACKS + self.ports)
                self._set_tracks(range(first, first + self.ports), at, self.size)
                self.begins.append(at)
                at += self.size

    def _set_tracks(self, tracks: Sequence[int], begin: float, width: float) -> None:
        for number, track in enumerate(tracks, start=1):
            self.tracks[track] = begin + width * number / (len(tracks) + 1)

    def gap_at(self, track: int) -> int | None:
        gap, rest = divmod(track, TRACKS + self.ports)
        return gap if rest < TRACKS else None

    def _width(self, gap: int) -> float:
        empty, edge, apart = self.sizes
        lines = len(self.used[gap])
        least = edge * 2 + apart * (lines - 1) if lines else empty
        is_outer = gap in (0, self.count)
        return (MARGIN if is_outer and not lines else least) + self.slack[gap]


@dataclass
class Plan:
    """The routed lines in as little room as they need; `grow` gives some more."""

    spots: dict[str, Spot]
    lines: list[Line]

    def __post_init__(self) -> None:
        columns, rows = (1 + max(spot[part] for spot in self.spots.values()) for part in (0, 1))
        self.across = Axis(columns, PORTS_ACROSS, WIDTH, (GAP_ACROSS, EDGE_ACROSS, NEXT_ACROSS))
        self.down = Axis(rows, PORTS_DOWN, HEIGHT, (GAP_DOWN, EDGE_DOWN, NEXT_DOWN))
        for line in self.lines:
            for a, b in pairwise(line.path):
                if a.x == b.x:
                    self.across.use(a.x)
                else:
                    self.down.use(a.y)

    def measure(self) -> tuple[dict[str, Box], list[Drawn]]:
        self.across.measure()
        self.down.measure()
        boxes = {
            state: Box(self.across.begins[spot.column], self.down.begins[spot.row], WIDTH, HEIGHT)
            for state, spot in self.spots.items()
        }
        return boxes, [Drawn(line.way, line.group, self._points(line, boxes)) for line in self.lines]

    def grow(self, group: int) -> None:
        """More room in every gap the lines of this group cross or run in."""
        nodes = [node for line in self.lines if line.group == group for node in line.path]
        for axis, tracks in ((self.across, {node.x for node in nodes}), (self.down, {node.y for node in nodes})):
            for gap in {gap for track in tracks if (gap := axis.gap_at(track)) is not None}:
                axis.slack[gap] += GROWTH

    def _points(self, line: Line, boxes: dict[str, Box]) -> tuple[Point, ...]:
        source, target = boxes[line.way.source], boxes[line.way.target]
        begin = self._border(line.path[0], source, line.out)
        end = self._border(line.path[-1], target, line.into.back)
        inner = [Point(self.across.tracks[node.x], self.down.tracks[node.y]) for node in _corners(line)]
        return tuple(dict.fromkeys((begin, *inner, end)))

    def _border(self, node: Node, box: Box, out: Heading) -> Point:
        if out.is_level:
            return Point(box.x + (box.width if out.dx > 0 else 0), self.down.tracks[node.y])
        return Point(self.across.tracks[node.x], box.y + (box.height if out.dy > 0 else 0))


def _corners(line: Line) -> list[Node]:
    """Where it turns."""
    within = [Heading(b.x - a.x, b.y - a.y) for a, b in pairwise(line.path)]
    turns = pairwise([line.out, *within, line.into])
    return [node for node, (before, after) in zip(line.path, turns, strict=True) if before != after]
