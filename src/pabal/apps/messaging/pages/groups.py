"""Groups of rooms that are kept: by unit, kind and tag."""

from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from pabal.apps.messaging.actions import groups as actions
from pabal.apps.messaging.model.bulks import NewGroup
from pabal.apps.messaging.model.rooms import RoomType
from pabal.apps.messaging.pages.page_texts import AREA
from pabal.apps.messaging.pages.rooms import list_types
from pabal.apps.messaging.store.groups import list_groups
from pabal.platform.actor import Right
from pabal.platform.findings import FieldsRefused, texts_by_field
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/messages/groups", include_in_schema=False)
LIST = "/messages/groups"
MOST = 200
EMPTY = {"name": "", "within_id": "", "room_type": "", "tag": ""}


@router.get("")
async def show_list(visit: Visitor) -> Response:
    visit.actor.require(Right.READ, AREA)
    return await _show(visit, EMPTY, {})


@router.post("")
async def save(
    visit: Visitor,
    name: Annotated[str, Form(max_length=1000)] = "",
    within_id: Annotated[str, Form(max_length=30)] = "",
    room_type: Annotated[str, Form(max_length=30)] = "",
    tag: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    kind = room_type if room_type in set(RoomType) else None
    within = int(within_id) if within_id.isascii() and within_id.isdigit() and len(within_id) < 19 else None
    try:
        async with visit.change() as tx:
            made = await actions.save(tx, visit.actor, NewGroup(name, None, within, kind, tag))
    except FieldsRefused as error:
        typed = {"name": name, "within_id": within_id, "room_type": room_type, "tag": tag}
        wrong = {field: visit.say(*text) for field, text in texts_by_field(error.findings).items()}
        return await _show(visit, typed, wrong, 422)
    said = ("Kept: {name}, {n} rooms now.", "저장했습니다: {name}, 지금 {n}곳.")
    return visit.go(LIST, said=said, name=made.name, n=made.rooms)


@router.post("/{group_id}/delete")
async def delete(visit: Visitor, group_id: RowId) -> Response:
    async with visit.change() as tx:
        await actions.delete(tx, visit.actor, group_id)
    return visit.go(LIST, said=("Deleted.", "지웠습니다."))


async def _show(visit: Visit, typed: dict[str, str], wrong: dict[str, str], status: int = 200) -> Response:
    async with visit.read() as tx:
        groups = (await list_groups(tx, visit.scope, limit=MOST)).items
        units = await load_tree(tx, visit.scope)
    return await visit.show(
        "messaging/groups.html",
        status,
        groups=groups,
        paths={group.id: units.names(group.root_id) for group in groups},
        units=units.choices(),
        types=list_types(visit),
        typed=typed,
        wrong=wrong,
    )
