"""From tracks to lengths: how wide each gap between states must be, and where every line runs."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pabal.platform.web.drawing.places import Spot
from pabal.platform.web.drawing.routes import PORTS_ACROSS, PORTS_DOWN, TRACKS, Heading, Line, Node
from pabal.platform.web.drawing.shapes import Box, Drawn, Point

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
