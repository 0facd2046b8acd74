"""Organisation units: the tree HQ, distributor, agency, branch."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Asked, Number, Shown, answer, may_read, no_content, noun
from pabal.base.database import Tx
from pabal.platform import tenants
from pabal.platform.tenants import Level, Unit, UnitNotFound, visible_to
from pabal.platform.web.etags import answer_one, check_match
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.filters import Word
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, answer_all
from pabal.platform.web.visit import Visit

router = noun("units")
AREA = "people"


class UnitShown(Shown):
    id: int = Field(examples=[3])
    parent_id: int | None = Field(examples=[1])
    level: Level = Field(examples=["branch"])
    name: str = Field(examples=["해운대점"])
    is_demo: bool = Field(examples=[False])
    created_at: datetime


class NewUnit(Asked):
    parent_id: int = Field(ge=1, lt=2**63, examples=[1])
    level: Level = Field(examples=["branch"])
    name: Word = Field(examples=["해운대점"])


class UnitChange(Asked):
    """Only what is given changes."""

    name: Word | None = Field(default=None, examples=["해운대점"])
    parent_id: int | None = Field(default=None, ge=1, lt=2**63, examples=[2])


@router.get("/units", response_model=Page[UnitShown])
async def list_units(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Lists the organisation units you may see, in the order of the tree."""
    may_read(visit, AREA)
    async with visit.read() as tx:
        found = await tenants.list_units(tx, visit.scope.listed)
    shown = [UnitShown.model_validate(one) for one in found]
    return answer_all(shown)


@router.get("/units/{id}", response_model=UnitShown)
async def get_unit(visit: Visitor, id: Number) -> Response:
    """Shows one unit."""
    async with visit.read() as tx:
        found = await _find(tx, visit, id)
    return answer_one(visit, UnitShown.model_validate(found))


@router.post("/units", response_model=UnitShown, status_code=201)
async def add_unit(visit: Visitor, once: OnceOnly, asked: NewUnit) -> Response:
    """Adds a unit below another."""

    async def act(tx: Tx) -> Response:
        made = await tenants.add_unit(tx, visit.actor, parent_id=asked.parent_id, level=asked.level, name=asked.name)
        return answer(UnitShown.model_validate(made), 201, location=f"/units/{made.id}")

    return await once.run(act)


@router.patch("/units/{id}", response_model=UnitShown)
async def edit_unit(visit: Visitor, once: OnceOnly, id: Number, asked: UnitChange) -> Response:
    """Renames a unit or moves it with everything below it."""

    async def act(tx: Tx) -> Response:
        unit = await _find(tx, visit, id)
        check_match(visit, UnitShown.model_validate(unit))
        if asked.name is not None:
            unit = await tenants.rename_unit(tx, visit.actor, id, asked.name)
        if asked.parent_id is not None:
            unit = await tenants.move_unit(tx, visit.actor, id, parent_id=asked.parent_id)
        return answer_one(visit, UnitShown.model_validate(unit))

    return await once.run(act)


@router.delete("/units/{id}", status_code=204)
async def remove_unit(visit: Visitor, id: Number) -> Response:
    """Removes an empty unit."""
    async with visit.change() as tx:
        check_match(visit, UnitShown.model_validate(await _find(tx, visit, id)))
        await tenants.remove_unit(tx, visit.actor, id)
    return no_content()


async def _find(tx: Tx, visit: Visit, unit_id: int) -> Unit:
    may_read(visit, AREA)
    if not (await visible_to(tx, visit.actor)).holds(unit_id):
        raise UnitNotFound(str(unit_id))
    return await tenants.get_unit(tx, unit_id)
