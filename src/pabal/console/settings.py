"""Settings an operator may change at run time: default, what the seed said, value now, who changed it; by group."""

from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from pabal.base.database import Tx
from pabal.base.errors import Conflict, Invalid
from pabal.platform import settings
from pabal.platform.actor import Right
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.settings import AREA, Listed
from pabal.platform.tenants import require_house
from pabal.platform.web.identify import Visitor
from pabal.platform.web.visit import Visit

router = APIRouter()


class _NotAll(Exception):
    """Rolls the others back too."""


@dataclass(frozen=True, slots=True)
class Line:
    """One setting; `typed` and `error` are what a refused form had in its field."""

    listed: Listed
    typed: str
    error: str = ""

    @property
    def field(self) -> str:
        return f"value:{self.listed.setting.key}"


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    label: Pair
    lines: list[Line]


@router.get("/settings")
async def show_settings(
    visit: Visitor,
    group: Annotated[str, Query(max_length=100)] = "",
    q: Annotated[str, Query(max_length=100)] = "",
    changed: bool = False,
) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        groups = await _groups(tx, visit)
    return await _show(visit, groups, group, q=q.strip().lower(), only_changed=changed)


@router.post("/settings")
async def save(visit: Visitor, request: Request, group: Annotated[str, Form(max_length=100)] = "") -> Response:
    """All of the group or none of it: what was typed stays in the form until every field can be saved."""
    form = {name: str(value) for name, value in (await request.form()).items()}
    async with visit.read() as tx:
        await require_house(tx, visit.actor, Right.MANAGE, AREA)
        groups = await _groups(tx, visit)
    wanted = [_typed(line, form) for one in groups if one.name == group for line in one.lines]
    errors = await _change(visit, wanted)
    if errors:
        lines = [replace(line, error=errors.get(line.listed.setting.key, "")) for line in wanted]
        shown = [replace(one, lines=lines) if one.name == group else one for one in groups]
        return await _show(visit, shown, group, status_code=422)
    return visit.go(
        f"/settings?group={group}", said=("Saved. It holds from now on.", "저장했습니다. 지금부터 적용됩니다.")
    )


@router.post("/settings/{key}/reset")
async def reset(visit: Visitor, key: str, group: Annotated[str, Form(max_length=100)] = "") -> Response:
    async with visit.change() as tx:
        await settings.reset(tx, visit.actor, visit.site.catalogue[key])
    return visit.go(f"/settings?group={group}", said=("Back to the default.", "기본값으로 되돌렸습니다."))


async def _change(visit: Visit, wanted: list[Line]) -> dict[str, str]:
    """What cannot be saved, by key; nothing is saved then."""
    errors: dict[str, str] = {}
    try:
        async with visit.change() as tx:
            for line in wanted:
                if line.typed != line.listed.text:
                    errors |= await _change_one(tx, visit, line)
            if errors:
                raise _NotAll
    except _NotAll:
        return errors
    return {}


async def _change_one(tx: Tx, visit: Visit, line: Line) -> dict[str, str]:
    setting = line.listed.setting
    try:
        async with tx.savepoint():
            await settings.change(tx, visit.actor, setting, line.typed, version=line.listed.version)
    except (Invalid, Conflict) as error:
        return {setting.key: f"{explain(error, visit.lang)} ({error.detail})"}
    return {}


async def _groups(tx: Tx, visit: Visit) -> list[Group]:
    listed = {one.setting.key: one for one in await settings.list_settings(tx, visit.site.catalogue)}
    return [
        Group(settings.name_group(label), label, [Line(listed[one.key], listed[one.key].text) for one in members])
        for label, members in visit.site.catalogue.groups().items()
    ]


def _typed(line: Line, form: dict[str, str]) -> Line:
    """A switch that is off sends nothing; the version is the one the form was made with."""
    setting = line.listed.setting
    missing = "false" if setting.kind == "bool" else line.typed
    version = form.get(f"version:{setting.key}", "")
    listed = replace(line.listed, version=int(version)) if version.isdigit() else line.listed
    return Line(listed, form.get(line.field, missing).strip())


async def _show(
    visit: Visit, groups: list[Group], group: str, *, q: str = "", only_changed: bool = False, status_code: int = 200
) -> Response:
    current = next((one for one in groups if one.name == group), groups[0])
    lines = [line for one in groups for line in one.lines] if q or only_changed else current.lines
    return await visit.show(
        "settings.html",
        status_code,
        groups=groups,
        current=None if q or only_changed else current,
        lines=[line for line in lines if _matches(visit, line, q) and (line.listed.is_changed or not only_changed)],
        changed=sum(line.listed.is_changed for one in groups for line in one.lines),
        total=sum(len(one.lines) for one in groups),
        q=q,
        only_changed=only_changed,
        may_change=visit.may("manage", AREA) and visit.scope.units is None,
        errors=[(line.field, f"{visit.say(*line.listed.setting.label)}: {line.error}") for line in lines if line.error],
        live_topics="settings.*",
    )


def _matches(visit: Visit, line: Line, q: str) -> bool:
    setting = line.listed.setting
    return not q or any(q in text.lower() for text in (setting.key, *setting.label, *setting.help))
