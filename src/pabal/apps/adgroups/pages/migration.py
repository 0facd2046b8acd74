"""From calculated to stored: how far it is, a dry run of old ad groups, and the flags that say whose state is shown."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query
from fastapi.responses import Response

from pabal.apps.adgroups.errors import (
    AdGroupNotFound,
    BadFlag,
    BadLegacyFile,
    CampaignNotFound,
    FlagNotFound,
    NoLegacyTable,
)
from pabal.apps.adgroups.legacy import actions, flags, shadow
from pabal.apps.adgroups.legacy.flags import Flag, count_sources
from pabal.apps.adgroups.legacy.model import COLUMNS, NEEDED, FlagKind, FromFile, FromTable, Origin, Run, RunState
from pabal.apps.adgroups.legacy.shadow import EXPECTED
from pabal.apps.adgroups.model.adgroups import AREA, Source
from pabal.apps.adgroups.pages.page_texts import MOST_CHOICES, TOPICS, Fault
from pabal.apps.adgroups.store.adgroups import load_ad_groups
from pabal.apps.adgroups.store.campaigns import get_campaign, list_campaigns
from pabal.base.database import Tx
from pabal.base.errors import NotFound, PabalError
from pabal.engine import ids
from pabal.engine.ids import BadId
from pabal.platform import storage
from pabal.platform.actor import Right
from pabal.platform.findings import Finding, find_wrong
from pabal.platform.language.pairs import Pair
from pabal.platform.storage import Upload, UploadTooLarge
from pabal.platform.tenants import visible_to
from pabal.platform.web.actors import name_actors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import Word, read_number, turn
from pabal.platform.web.posted import Posted, open_posted
from pabal.platform.web.tree import load_tree
from pabal.platform.web.uploads import FilePart, PartLimits
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/ads/migration", include_in_schema=False)
HERE = "/ads/migration"
MOST_BYTES = 1024**3
LIMITS = PartLimits(max_body=MOST_BYTES + 1024**2, max_parts=10)
PostedForm = Annotated[Posted, Depends(open_posted(LIMITS))]
NO_FILE: Pair = ("Choose a CSV file first.", "CSV 파일을 먼저 고르세요.")
_WRONG = (AdGroupNotFound, BadFlag, BadId, CampaignNotFound, FlagNotFound)
_NOT_SET: Pair = ("The flag was not changed", "플래그를 바꾸지 못했습니다")
_CHANGED: Pair = (
    "{n} ad group shows the other state now|{n} ad groups show the other state now",
    "이제 광고그룹 {n}개가 다른 쪽 상태로 보입니다",
)
# whoever decides about many differences has as many flags
SHOWN = 30


@router.get("")
async def show(visit: Visitor, cursor: Annotated[str, Query()] = "") -> Response:
    return await show_migration(visit, cursor)


@router.get("/plan")
async def look_again(visit: Visitor) -> Response:
    """Where one stands after a file that could not be read."""
    return visit.go(HERE)


@router.post("/plan")
async def plan(posted: PostedForm) -> Response:
    """A dry run: everything is read and mapped, and nothing is made."""
    visit = posted.visit
    visit.actor.require(Right.MANAGE, AREA)
    what = ("The dry run did not begin", "미리 해 보기를 시작하지 못했습니다")
    try:
        origin, unit_id = await _receive(posted)
        if origin is None:
            fault = Fault(what, Finding("no_file", "csv", NO_FILE))
            return await show_migration(visit, fault=fault)
        run = await actions.dry_run(visit.services, visit.actor, origin, unit_id)
    except (BadLegacyFile, NoLegacyTable, UploadTooLarge) as error:
        return await show_migration(visit, fault=Fault(what, _find_wrong(error)))
    return visit.go(
        f"{HERE}/{run.id}",
        said=("Read: {rows} rows. Nothing was made yet.", "{rows}행을 읽었습니다. 아직 만든 것은 없습니다."),
        rows=f"{run.rows:,}",
    )


async def show_migration(visit: Visit, cursor: str = "", *, fault: Fault | None = None) -> Response:
    """Also after something went wrong on it."""
    async with visit.read() as tx:
        page = await read_page(lambda at: actions.list_runs(tx, visit.actor, at), cursor)
        values = {
            **await _load_standing(tx, visit),
            **await load_flags(tx, visit),
            "names": await name_actors(tx, visit, {one.created_by for one in page.items}),
            "campaigns": [
                (one.id, one.name) for one in (await list_campaigns(tx, visit.scope, limit=MOST_CHOICES)).items
            ],
            "units": (await load_tree(tx, visit.scope)).choices(),
            "is_house": (await visible_to(tx, visit.actor)).units is None,
        }
    return await visit.show(
        "adgroups/migration.html",
        200 if fault is None else 422,
        runs=page.items,
        columns=COLUMNS,
        needed=NEEDED,
        fault=fault,
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
        steps=_make_steps(visit, page.items, values),
        **values,
    )


async def _load_standing(tx: Tx, visit: Visit) -> dict[str, Any]:
    """`unexpected`: differences the calculator could have seen as the machine does; the others are its blind spots."""
    sources = await count_sources(tx, visit.actor)
    found = await shadow.count_open(tx, visit.scope)
    return {
        "machine": sources[Source.MACHINE],
        "calculator": sources[Source.CALCULATOR],
        "open_mismatches": sum(found.values()),
        "unexpected": sum(count for cause, count in found.items() if cause not in EXPECTED),
        "last_pass": await shadow.last_pass(tx),
    }


async def _receive(posted: Posted) -> tuple[Origin | None, int | None]:
    """The fields come before the file, so that whose they become is known when it is kept."""
    visit, unit_id, origin = posted.visit, None, None
    async for part in posted.parts:
        if isinstance(part, FilePart):
            upload = Upload(part.chunks, part.filename, unit_id, area=AREA)
            services = visit.services
            file = await storage.accept_file(
                services.changes, services.files, visit.actor, upload, max_bytes=MOST_BYTES
            )
            origin = FromFile(file.id)
        elif part.name == "unit_id":
            unit_id = read_number(part.value)
        elif part.name == "source" and part.value == "table":
            return FromTable(), unit_id
    return origin, unit_id


def _make_steps(visit: Visit, runs: list[Run], standing: dict[str, Any]) -> list[dict[str, Any]]:
    """What was done of the way; the first that was not is where one stands."""
    done = {run.state for run in runs}
    last = standing["last_pass"]
    steps = [
        (visit.say("Dry run", "미리 해 보기"), visit.say("read, map, report", "읽고, 옮겨 보고, 보고서"), bool(runs)),
        (visit.say("Run", "옮기기"), visit.say("can be taken back", "되돌릴 수 있음"), RunState.DONE in done),
        (
            visit.say("Compare", "견주기"),
            visit.say("calculator and machine", "계산기와 상태 기계"),
            RunState.DONE in done and last is not None and standing["unexpected"] == 0,
        ),
        (
            visit.say("Switch over", "넘어가기"),
            visit.say("by flag, then all", "플래그로, 다음에 모두"),
            RunState.DONE in done and standing["calculator"] == 0,
        ),
    ]
    first = next((place for place, (_, _, is_done) in enumerate(steps) if not is_done), None)
    return [
        {"label": label, "note": note, "done": is_done, "current": place == first}
        for place, (label, note, is_done) in enumerate(steps)
    ]


def _find_wrong(error: PabalError) -> Finding:
    """The sentence and, where it names one, the place in the file."""
    found = find_wrong(error, "csv")
    if not isinstance(error, BadLegacyFile) or not error.detail:
        return found
    english, korean = found.text
    return replace(found, text=(f"{english} ({error.detail})", f"{korean} ({error.detail})"))


@router.get("/flags")
@router.get("/flags/clear")
async def look_at_flags(visit: Visitor) -> Response:
    """Where one stands after one that could not be set."""
    return visit.go(f"{HERE}#flags")


@router.post("/flags")
async def set_flag(
    visit: Visitor,
    kind: Annotated[FlagKind, Form()],
    value: Annotated[Word, Form()] = "",
    is_on: Annotated[Word, Form()] = "on",
) -> Response:
    async def act(tx: Tx) -> int:
        return await flags.set_flag(tx, visit.actor, kind, read_value(kind, value), is_on=is_on == "on")

    return await _change_flag(visit, act, kind, value)


@router.post("/flags/clear")
async def clear_flag(
    visit: Visitor, kind: Annotated[FlagKind, Form()], value: Annotated[Word, Form()] = ""
) -> Response:
    async def act(tx: Tx) -> int:
        return await flags.clear_flag(tx, visit.actor, kind, read_number(value) or 0)

    return await _change_flag(visit, act, kind, "")


@router.post("/calculator/off")
async def switch_off(visit: Visitor) -> Response:
    async with visit.change() as tx:
        changed = await flags.switch_off_calculator(tx, visit.actor)
    return visit.go(HERE, said=_CHANGED, n=changed)


async def _change_flag(visit: Visit, act: Callable[[Tx], Awaitable[int]], kind: FlagKind, typed: str) -> Response:
    try:
        async with visit.change() as tx:
            changed = await act(tx)
    except _WRONG as error:
        fault = Fault(_NOT_SET, find_wrong(error, f"flag-{kind}"), typed)
        return await show_migration(visit, fault=fault)
    return visit.go(f"{HERE}#flags", said=_CHANGED, n=changed)


def read_value(kind: FlagKind, text: str) -> int:
    """An ad group as any page shows its number: 12, adgroup:12, adg_…"""
    if kind is FlagKind.NEW:
        return 0
    if kind is FlagKind.PERCENT:
        if not (text.isascii() and text.isdigit() and len(text) <= 3):
            raise BadFlag(text[:50])
        return int(text)
    number = read_number(text.rpartition(":")[2])
    if number is None and kind is FlagKind.ID and text.startswith("adg_"):
        number = ids.read("adg", text)
    if number is None:
        raise (AdGroupNotFound if kind is FlagKind.ID else CampaignNotFound)(text[:50])
    return number


@dataclass(frozen=True, slots=True)
class FlagRow:
    """`name` and `href` are of what it is about; a percentage and new ones have neither."""

    flag: Flag
    name: str = ""
    href: str = ""


async def load_flags(tx: Tx, visit: Visit) -> dict[str, Any]:
    """In the order they are asked; of single ad groups the newest."""
    found = await flags.list_flags(tx, await visible_to(tx, visit.actor))
    wide = [one for one in found if one.kind is not FlagKind.ID]
    single = sorted((one for one in found if one.kind is FlagKind.ID), key=lambda one: one.set_at, reverse=True)
    shown = [*single[:SHOWN], *wide]
    return {
        "flags": await _name(tx, visit, shown),
        "more_flags": max(len(single) - SHOWN, 0),
        "percent": next((one.value for one in wide if one.kind is FlagKind.PERCENT), 0),
        "flag_names": await name_actors(tx, visit, {one.set_by for one in shown}),
    }


async def _name(tx: Tx, visit: Visit, shown: Sequence[Flag]) -> list[FlagRow]:
    wanted = [one.value for one in shown if one.kind is FlagKind.ID]
    groups = {group.id: group.name for group in await load_ad_groups(tx, wanted)}
    rows = []
    for one in shown:
        match one.kind:
            case FlagKind.ID:
                rows.append(FlagRow(one, groups.get(one.value, f"adgroup:{one.value}"), f"/ads/groups/{one.value}"))
            case FlagKind.CAMPAIGN:
                name = await _name_campaign(tx, visit, one.value)
                rows.append(FlagRow(one, name, f"/ads/campaigns/{one.value}"))
            case _:
                rows.append(FlagRow(one))
    return rows


async def _name_campaign(tx: Tx, visit: Visit, campaign_id: int) -> str:
    try:
        return (await get_campaign(tx, await visible_to(tx, visit.actor), campaign_id)).name
    except NotFound:
        return f"campaign:{campaign_id}"
