"""Shared lanes: at most so many at once."""

from typing import TYPE_CHECKING

from pabal.platform.resources import Ask, Noun, Rules, View, Viewer, ask, field
from pabal.resources.work import show_job

if TYPE_CHECKING:
    from pabal.engine.listing import LaneLine

_ROWS = "pabal.resources.rows"


class LaneView(View):
    """A shared lane: at most `width` of its jobs are ready or running at once, over all servers. Or what stands before
    the colon in the names of many (`licence`): a width for each of them that has none of its own."""

    name: str = field(("Lane", "줄"), example="licence:ae")
    width: int = field(("At once", "동시 실행"), description="How many go at once.", example=4)
    declared: int | None = field(("Declared", "선언"), description="What the code says.", example=4)
    chosen: int | None = field(("Chosen", "바꾼 값"), description="What an operator said instead.", example=None)
    running: int = field(("Running", "실행 중"), example=3)
    held_by: list[str] = field(
        ("Held by", "차례인 작업"), description="Ready or running.", example=["job_01h2xcejqtf2n"]
    )
    waiting: int = field(("Waiting", "대기"), description="Up to 10,001.", example=12)


class LaneWidth(Ask):
    width: int = ask("How many go at once; 0 lets nobody go.", argument=True, rules=Rules(ge=0, le=1000), example=4)


def view_lane(line: "LaneLine", viewer: Viewer) -> LaneView:
    return LaneView.of(line, held_by=[show_job(holder) for holder in line.holders])


LANE = Noun(
    "lane",
    "lanes",
    "jobs",
    LaneView,
    view=f"{__name__}:view_lane",
    find=f"{_ROWS}:get_lane",
    hold="pabal.engine.widths:hold",
    named=f"{_ROWS}:get_lane",
    columns=("name", "width", "declared", "chosen", "running", "waiting"),
    which="Its name.",
    key="name",
    reads_key="pabal.api.parts:LaneName",
    get_help="Shows one shared lane.",
)
LANE.lists(
    "list_lanes",
    "Lists shared lanes by name: those with a width of their own, and those somebody holds. They belong to the house: "
    "who sees only a part of it sees none.",
    f"{_ROWS}:list_lanes",
    columns=LANE.columns,
    empty=("No shared lanes.", "나누어 쓰는 줄이 없습니다."),
    of_house=True,
)
LANE.verb(
    "resize",
    f"{_ROWS}:resize_lane",
    "Lets more or fewer go at once. Made narrower, what runs goes on, and nobody more goes before there is room.",
    LaneWidth,
    method="PUT",
    path="/lanes/{name}",
)
LANE.verb("reset", f"{_ROWS}:reset_lane", "Sets a lane's width back to what is declared.", method="DELETE")
