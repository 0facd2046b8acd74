"""From tracks to lengths: how wide each gap between states must be, where every line runs and every label stands."""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from pabal.engine.machine import Machine
from pabal.platform.web.drawing.places import Spot, Way, list_ways, place
from pabal.platform.web.drawing.routes import PORTS_ACROSS, PORTS_DOWN, TRACKS, Line, Node, Router, first_port

WIDTH, HEIGHT = 114, 54
# The least gap with nothing in it, the room before the first and after the last line in it, and between two lines.
GAP_ACROSS, GAP_DOWN = 34, 30
EDGE_ACROSS, EDGE_DOWN = 18, 20
NEXT_ACROSS, NEXT_DOWN = 14, 18
MARGIN = 12
GROWTH = 14
MOST_GROWTHS = 60


class Point(NamedTuple):
    x: float
    y: float


class Box(NamedTuple):
    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: "Box", margin: float = 0) -> bool:
        return (
            self.x < other.x + other.width + margin
            and other.x < self.x + self.width + margin
            and self.y < other.y + other.height + margin
            and other.y < self.y + self.height + margin
        )


@dataclass(frozen=True, slots=True)
class Drawn:
    """A way as it is drawn: corner by corner, from the border of the source to that of the target."""

    way: Way
    group: int
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """What a group of ways says, once: its events, a few to a line, and the box it stands in."""

    group: int
    lines: tuple[tuple[str, ...], ...]
    box: Box


@dataclass(frozen=True, slots=True)
class Layout:
    width: float
    height: float
    boxes: dict[str, Box]
    drawn: tuple[Drawn, ...]
    labels: tuple[Label, ...]


@dataclass
class Axis:
    """Gaps and states by turns along one direction; the gaps are as wide as what runs in them."""

    count: int
    ports: int
    size: float
    sizes: tuple[float, float, float]
    used: dict[int, list[int]]
    slack: dict[int, float] = field(default_factory=lambda: defaultdict(float))

    def measure(self) -> None:
        """Where each state begins and each used track runs."""
        self.begins: list[float] = []
        self.tracks: dict[int, float] = {}
        at = 0.0
        for gap in range(self.count + 1):
            width = self._width(gap)
            used = self.used.get(gap, [])
            for number, track in enumerate(used, start=1):
                self.tracks[track] = at + width * number / (len(used) + 1)
            at += width
            if gap < self.count:
                self.begins.append(at)
                first = TRACKS + gap * (TRACKS + self.ports)
                for port in range(self.ports):
                    self.tracks[first + port] = at + self.size * (port + 1) / (self.ports + 1)
                at += self.size
        self.end = at

    def gap_at(self, track: int) -> int | None:
        gap, rest = divmod(track, TRACKS + self.ports)
        return gap if rest < TRACKS else None

    def _width(self, gap: int) -> float:
        empty, edge, apart = self.sizes
        lines = len(self.used.get(gap, []))
        least = edge * 2 + apart * (lines - 1) if lines else empty
        is_outer = gap in (0, self.count)
        return (MARGIN if is_outer and not lines else least) + self.slack[gap]


@dataclass
class Plan:
    """The routed lines with what they need; `settle` gives the least layout in which every label has its place."""

    spots: dict[str, Spot]
    lines: list[Line]

    def __post_init__(self) -> None:
        columns, rows = (1 + max(spot[part] for spot in self.spots.values()) for part in (0, 1))
        across, down = self._find_used()
        self.across = Axis(columns, PORTS_ACROSS, WIDTH, (GAP_ACROSS, EDGE_ACROSS, NEXT_ACROSS), across)
        self.down = Axis(rows, PORTS_DOWN, HEIGHT, (GAP_DOWN, EDGE_DOWN, NEXT_DOWN), down)

    def _find_used(self) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """Which tracks of each gap carry a line along themselves."""
        across: dict[int, set[int]] = defaultdict(set)
        down: dict[int, set[int]] = defaultdict(set)
        for line in self.lines:
            for a, b in zip(line.path, line.path[1:], strict=False):
                if a.x == b.x and a.x % (TRACKS + PORTS_ACROSS) < TRACKS:
                    across[a.x // (TRACKS + PORTS_ACROSS)].add(a.x)
                if a.y == b.y and a.y % (TRACKS + PORTS_DOWN) < TRACKS:
                    down[a.y // (TRACKS + PORTS_DOWN)].add(a.y)
        return ({gap: sorted(used) for gap, used in axis.items()} for axis in (across, down))  # type: ignore[return-value]

    def measure(self) -> tuple[dict[str, Box], list[Drawn]]:
        self.across.measure()
        self.down.measure()
        boxes = {
            state: Box(self.across.begins[spot.column], self.down.begins[spot.row], WIDTH, HEIGHT)
            for state, spot in self.spots.items()
        }
        return boxes, [Drawn(line.way, line.group, self._points(line, boxes)) for line in self.lines]

    def grow(self, group: int) -> None:
        """More room where the lines of this group run."""
        for line in self.lines:
            if line.group != group:
                continue
            for a, b in zip(line.path, line.path[1:], strict=False):
                axis, track = (self.across, b.x) if a.y == b.y else (self.down, b.y)
                gap = axis.gap_at(track)
                if gap is not None:
                    axis.slack[gap] = axis.slack[gap] + GROWTH / TRACKS

    def _points(self, line: Line, boxes: dict[str, Box]) -> tuple[Point, ...]:
        corners = [node for node in _corners(line)]
        source, target = boxes[line.way.source], boxes[line.way.target]
        begin = self._border(line.path[0], source, line.out.dx, line.out.dy)
        end = self._border(line.path[-1], target, -line.into.dx, -line.into.dy)
        inner = [Point(self.across.tracks[node.x], self.down.tracks[node.y]) for node in corners]
        return tuple(dict.fromkeys((begin, *inner, end)))

    def _border(self, node: Node, box: Box, dx: int, dy: int) -> Point:
        if dx:
            return Point(box.x + (box.width if dx > 0 else 0), self.down.tracks[node.y])
        return Point(self.across.tracks[node.x], box.y + (box.height if dy > 0 else 0))


def _corners(line: Line) -> list[Node]:
    """Where it turns."""
    found = []
    headings = [line.out, *(_heading(a, b) for a, b in zip(line.path, line.path[1:], strict=False)), line.into]
    for node, before, after in zip(line.path, headings, headings[1:], strict=False):
        if before != after:
            found.append(node)
    return found


def _heading(a: Node, b: Node) -> tuple[int, int]:
    return b.x - a.x, b.y - a.y


@cache
def lay_out(machine: Machine) -> Layout:
    """The same for every reader, so it is made once; the words inside the states change nothing."""
    from pabal.platform.web.drawing.labels import put_labels

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
