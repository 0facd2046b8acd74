"""What an item is called, shown, asked for and done with: said once for REST, commands and CSV."""

from datetime import datetime

from lostfound.model import AREA, Item
from pabal.platform.resources import ROW_ID, Ask, Noun, Rules, View, Viewer, ask, field


class ItemView(View):
    """An item. `state` is waiting or fetched."""

    id: int = field(("No.", "번호"), example=1)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    what: str = field(("What", "물건"), example="a black umbrella")
    state: str = field(("State", "상태"), status="item", example="waiting")
    found_at: datetime = field(("Found", "찾은 때"))


def view_item(item: Item, viewer: Viewer) -> ItemView:
    return ItemView.of(item)


class HandIn(Ask):
    what: str = ask("What was found.", argument=True, rules=Rules(min_length=1, max_length=200), example="an umbrella")
    unit_id: int | None = ask(
        "Where it was found; your own unit if left out.",
        option="--org",
        metavar="UNIT",
        find="pabal.platform.commands.options:find_unit_id",
        rules=ROW_ID,
        example=3,
        default=None,
    )


ITEM = Noun(
    "item",
    "lostfound",
    AREA,
    ItemView,
    view="lostfound.resources:view_item",
    find="lostfound.store:get_item",
    hold="lostfound.store:hold_item",
    named="lostfound.store:find_item",
    words="lostfound.model:STATUS",
    which="Its number.",
    get_help="Shows one item.",
)
ITEM.lists(
    "list_lost_items",
    "Lists what was found, newest first.",
    "lostfound.store:list_items",
    columns=("id", "state", "what", "unit_id", "found_at"),
    empty=("Nothing was found yet.", "아직 없습니다."),
)
ITEM.verb("hand_in", "lostfound.actions:hand_in", "Notes what was found.", HandIn, makes=True)
ITEM.verb("fetch", "lostfound.actions:fetch", "Says that somebody has fetched it.")
