"""A workflow as a picture: steps in rows, each below what it needs. Pure: the same steps give the same picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pabal.engine.workflows.model import Workflow

WIDE, HIGH, GAP_X, GAP_Y, EDGE = 168, 46, 20, 34, 8


@dataclass(frozen=True, slots=True)
class Box:
    name: str
    title: str
    state: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Arrow:
    """From the lower side of one box to the upper side of another."""

    from_x: int
    from_y: int
    to_x: int
    to_y: int

    @property
    def path(self) -> str:
        middle = (self.from_y + self.to_y) // 2
        return f"M{self.from_x} {self.from_y} C{self.from_x} {middle} {self.to_x} {middle} {self.to_x} {self.to_y}"


@dataclass(frozen=True, slots=True)
class Graph:
    width: int
    height: int
    boxes: Sequence[Box]
    arrows: Sequence[Arrow]


def draw_workflow(workflow: Workflow, states: Mapping[str, str]) -> Graph:
    """`states`: of each step; one that is not named is planned."""
    rows = _rows(workflow)
    widest = max(len(row) for row in rows)
    width = 2 * EDGE + widest * WIDE + (widest - 1) * GAP_X
    places: dict[int, tuple[int, int]] = {}
    for depth, row in enumerate(rows):
        left = (width - len(row) * WIDE - (len(row) - 1) * GAP_X) // 2
        for place, number in enumerate(row):
            places[number] = (left + place * (WIDE + GAP_X), EDGE + depth * (HIGH + GAP_Y))
    steps = workflow.steps
    boxes = [
        Box(step.name, step.title or step.name, states.get(step.name, "planned"), *places[number])
        for number, step in enumerate(steps)
    ]
    arrows = [
        Arrow(places[before][0] + WIDE // 2, places[before][1] + HIGH, places[number][0] + WIDE // 2, places[number][1])
        for number in range(len(steps))
        for before in _needed(workflow, number)
    ]
    return Graph(width, 2 * EDGE + len(rows) * HIGH + (len(rows) - 1) * GAP_Y, boxes, arrows)


def _rows(workflow: Workflow) -> list[list[int]]:
    """Each step below all that it needs."""
    depths: dict[int, int] = {}

    def depth(number: int) -> int:
        if number not in depths:
            depths[number] = 1 + max((depth(one) for one in _needed(workflow, number)), default=-1)
        return depths[number]

    rows: list[list[int]] = []
    for number in range(len(workflow.steps)):
        while len(rows) <= depth(number):
            rows.append([])
        rows[depth(number)].append(number)
    return rows


def _needed(workflow: Workflow, number: int) -> Sequence[int]:
    return sorted(workflow.needed[number])
