"""A machine as shapes: the states in their places, the lines between them, every label where it covers nothing."""

from functools import cache

from pabal.engine.machine import Machine
from pabal.platform.web.drawing.labels import put_labels
from pabal.platform.web.drawing.lengths import Plan
from pabal.platform.web.drawing.places import list_ways, place
from pabal.platform.web.drawing.routes import Router
from pabal.platform.web.drawing.shapes import Box, Drawn, Label, Layout, Point

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
