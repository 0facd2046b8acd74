"""From calculated to stored: the flag USE_SSM_STATUS, and where calculator and machine differ."""

from datetime import datetime
from typing import Annotated, Literal, cast

from fastapi import Path, Query
from fastapi.responses import Response
from pydantic import Field, model_validator

from pabal.apps.adgroups.api.names import (
    AdGroupNamed,
    CampaignNamed,
    Status,
    noun,
    show_campaign_id,
    show_id,
    show_status,
)
from pabal.apps.adgroups.api.parts import may_read
from pabal.apps.adgroups.labels import CAUSES
from pabal.apps.adgroups.legacy import flags, shadow
from pabal.apps.adgroups.legacy.flags import Flag
from pabal.apps.adgroups.legacy.model import Cause, FlagKind
from pabal.apps.adgroups.legacy.shadow import Mismatch, WantedMismatches
from pabal.apps.adgroups.model.adgroups import Source
from pabal.base.database import Tx
from pabal.engine.listing import Page as Rows
from pabal.platform.language.pairs import put
from pabal.platform.tenants import visible_to
from pabal.platform.web import paging
from pabal.platform.web.endpoints import LAST, Asked, Shown, answer, case, fill, rules
from pabal.platform.web.filters import Listed
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, answer_all, answer_list
from pabal.platform.web.problems import BadParameter
from pabal.platform.web.visit import Visit

router = noun()
NAME = "USE_SSM_STATUS"
Kind = Literal["ID", "CAMPAIGN", "PERCENT", "NEW"]
SourceName = Literal["machine", "calculator"]
MismatchNumber = Annotated[int, Path(ge=1, le=LAST, description="Its number.", examples=[3])]


class FlagShown(Shown):
    """On: those it is about show their stored state; off: the calculator's."""

    name: str = Field(examples=[NAME])
    kind: Kind = Field(examples=["ID"])
    ad_group: str | None = Field(examples=["adg_01h2xcejqtf2n"])
    campaign: str | None = Field(examples=[None])
    percent: int | None = Field(examples=[None])
    is_on: bool = Field(examples=[True])
    unit_id: int | None = Field(examples=[3])
    set_by: str = Field(examples=["user:12"])
    set_at: datetime


_NONE, _GIVEN = {"type": "null"}, {"not": {"type": "null"}}


class FlagAsked(Asked):
    """An ad group, a campaign, so many of a hundred, or all new ones. The last two are the head office's to set."""

    model_config = rules(
        {
            "oneOf": [
                case("ad_group", kind={"const": "ID"}, ad_group=_GIVEN, campaign=_NONE, percent=_NONE),
                case("campaign", kind={"const": "CAMPAIGN"}, campaign=_GIVEN, ad_group=_NONE, percent=_NONE),
                case("percent", kind={"const": "PERCENT"}, percent=_GIVEN, ad_group=_NONE, campaign=_NONE),
                case(kind={"const": "NEW"}, ad_group=_NONE, campaign=_NONE, percent=_NONE),
            ]
        }
    )

    kind: Kind = Field(examples=["PERCENT"])
    ad_group: AdGroupNamed | None = Field(default=None, examples=[None])
    campaign: CampaignNamed | None = Field(default=None, examples=[None])
    percent: Annotated[int, Field(ge=0, le=100)] | None = Field(default=None, examples=[10])
    is_on: bool = True

    @model_validator(mode="after")
    def fits(self) -> "FlagAsked":
        given = {"ID": self.ad_group, "CAMPAIGN": self.campaign, "PERCENT": self.percent}
        if [kind for kind, value in given.items() if value is not None] != [
            each for each in given if each == self.kind
        ]:
            raise ValueError("name what this kind is about, and nothing else")
        return self

    @property
    def value(self) -> int:
        return next((one for one in (self.ad_group, self.campaign, self.percent) if one is not None), 0)


class FlagChanged(Shown):
    """How many ad groups show the other state now."""

    changed: int = Field(examples=[12])


class LegacyShown(Shown):
    """How far it is: whose state is shown of how many, and what a whole comparison found open, by cause."""

    machine: int = Field(examples=[1200])
    calculator: int = Field(examples=[0])
    mismatches: dict[str, int] = Field(examples=[{"paused_by_hand": 2}])
    compared: int | None = Field(description="Of the whole house; only the head office sees it.", examples=[1200])
    began_at: datetime | None
    finished_at: datetime | None


class MismatchShown(Shown):
    """`source` is whose state is shown; `decision` whom somebody chose to believe."""

    id: int = Field(examples=[3])
    unit_id: int = Field(examples=[3])
    ad_group: str = Field(examples=["adg_01h2xcejqtf2n"])
    name: str = Field(examples=["여름 행사"])
    calculated: Status = Field(examples=["RUNNING"])
    stored: Status = Field(examples=["PAUSED"])
    source: SourceName = Field(examples=["machine"])
    cause: str = Field(examples=["paused_by_hand"])
    detail: str = Field(examples=["somebody paused it, which dates do not tell"])
    since: datetime
    seen_at: datetime
    resolved_at: datetime | None = Field(examples=[None])
    decision: SourceName | None = Field(examples=[None])
    decided_by: str | None = Field(examples=[None])
    decided_at: datetime | None = Field(examples=[None])


class MismatchFilter(Listed):
    cause: Annotated[Cause | None, Field(description="Only of this cause.")] = None
    state: Annotated[
        Literal["open", "resolved", "all"], Field(description="Those that still differ, those that do not any more.")
    ] = "open"
    decided: Annotated[bool | None, Field(description="Only those somebody decided about, or only the others.")] = None


class Believed(Asked):
    believe: SourceName = Field(examples=["machine"])


@router.get("/legacy", response_model=LegacyShown)
async def describe_legacy(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Says how many show their stored state and how many the calculated one, and how often both differ."""
    may_read(visit)
    async with visit.read() as tx:
        sources = await flags.count_sources(tx, visit.actor)
        found = await shadow.count_open(tx, visit.scope)
        last = await shadow.last_pass(tx)
    shown = LegacyShown(
        machine=sources[Source.MACHINE],
        calculator=sources[Source.CALCULATOR],
        mismatches={str(cause): count for cause, count in found.items()},
        compared=last.compared if last is not None and visit.scope.units is None else None,
        began_at=None if last is None else last.began_at,
        finished_at=None if last is None else last.finished_at,
    )
    return answer(shown)


@router.get("/legacy/flags", response_model=Page[FlagShown])
async def list_state_flags(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Lists what was said of USE_SSM_STATUS. An ad group's own comes first, then its campaign's, then the house's."""
    async with visit.read() as tx:
        found = await flags.list_flags(tx, visit.actor)
    return answer_all([_flag(one) for one in found])


@router.put("/legacy/flags", response_model=FlagChanged)
async def set_state_flag(visit: Visitor, once: OnceOnly, asked: FlagAsked) -> Response:
    """Says whose state is shown: of one ad group, a campaign, so many of a hundred, or new ones."""

    async def act(tx: Tx) -> Response:
        kind = FlagKind(asked.kind.lower())
        return answer(FlagChanged(changed=await flags.set_flag(tx, visit.actor, kind, asked.value, is_on=asked.is_on)))

    return await once.run(act)


@router.delete("/legacy/flags/{kind}", response_model=FlagChanged)
async def clear_state_flag(
    visit: Visitor,
    kind: Kind,
    ad_group: Annotated[AdGroupNamed | None, Query(description="Of the kind ID.")] = None,
    campaign: Annotated[CampaignNamed | None, Query(description="Of the kind CAMPAIGN.")] = None,
) -> Response:
    """Takes a flag back: what the next one in order says holds again."""
    value = {"ID": ad_group, "CAMPAIGN": campaign}.get(kind, 0)
    if value is None:
        raise BadParameter("ad_group or campaign")
    async with visit.change() as tx:
        changed = await flags.clear_flag(tx, visit.actor, FlagKind(kind.lower()), value)
    return answer(FlagChanged(changed=changed))


@router.post("/legacy/calculator/off", response_model=FlagChanged)
async def switch_off_calculator(visit: Visitor, once: OnceOnly) -> Response:
    """Shows every ad group's stored state from now on, whatever was said before. Only the head office."""

    async def act(tx: Tx) -> Response:
        return answer(FlagChanged(changed=await flags.switch_off_calculator(tx, visit.actor)))

    return await once.run(act)


@router.get("/legacy/mismatches", response_model=Page[MismatchShown])
async def list_mismatches(visit: Visitor, wanted: Annotated[MismatchFilter, Query()]) -> Response:
    """Lists where calculator and machine differ, with the cause, the newest first."""
    may_read(visit)
    is_open = None if wanted.state == "all" else wanted.state == "open"
    filters = WantedMismatches(wanted.cause, is_open, wanted.decided)

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Mismatch]:
        return await shadow.list_mismatches(tx, visit.scope, filters, cursor, limit)

    def show(one: Mismatch) -> MismatchShown:
        return _mismatch(one, visit)

    return await answer_list(visit, wanted, paging.Source("mismatches", MismatchShown, load, show))


@router.get("/legacy/mismatches/{id}", response_model=MismatchShown)
async def get_mismatch(visit: Visitor, id: MismatchNumber) -> Response:
    """Shows one difference."""
    may_read(visit)
    async with visit.read() as tx:
        found = await shadow.get_mismatch(tx, await visible_to(tx, visit.actor), id)
    return answer(_mismatch(found, visit))


@router.post("/legacy/mismatches/{id}/decide", response_model=MismatchShown)
async def decide_mismatch(visit: Visitor, once: OnceOnly, id: MismatchNumber, asked: Believed) -> Response:
    """Trusts the machine or keeps the calculator, for this ad group from now on."""

    async def act(tx: Tx) -> Response:
        return answer(_mismatch(await shadow.decide(tx, visit.actor, id, Source(asked.believe)), visit))

    return await once.run(act)


def _flag(flag: Flag) -> FlagShown:
    return fill(
        FlagShown,
        flag,
        name=NAME,
        kind=cast(Kind, flag.kind.upper()),
        ad_group=show_id(flag.value) if flag.kind is FlagKind.ID else None,
        campaign=show_campaign_id(flag.value) if flag.kind is FlagKind.CAMPAIGN else None,
        percent=flag.value if flag.kind is FlagKind.PERCENT else None,
    )


def _mismatch(one: Mismatch, visit: Visit) -> MismatchShown:
    return fill(
        MismatchShown,
        one,
        ad_group=show_id(one.ad_group_id),
        calculated=show_status(one.calculated),
        stored=show_status(one.stored),
        cause=str(one.cause),
        detail=put(visit.lang, CAUSES[one.cause]),
    )
