"""The inbox: what waits for a yes or no in any app, what was decided, and the card of one request."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.base.database import Tx
from pabal.base.errors import Conflict, Invalid
from pabal.engine import listing
from pabal.engine.listing.history import Wanted as WantedHistory
from pabal.platform import approvals
from pabal.platform.actor import Right
from pabal.platform.approvals import AREA, Seen, State, Verdict, Wanted
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import cut_by_id, read_before, read_page
from pabal.platform.web.lists import RowId, Word, back_to, turn
from pabal.platform.web.many import Offer, offer
from pabal.platform.web.visit import Visit

router = APIRouter()
TOPICS = "approval.*,approvals.*"
PAGE = 20
VIEWS: dict[str, tuple[State, ...]] = {
    "": (State.OPEN,),
    "later": (State.OPEN,),
    "all": (State.APPROVED, State.REJECTED, State.WITHDRAWN),
    "expired": (State.EXPIRED,),
}
_DONE: dict[Verdict, Pair] = {
    Verdict.APPROVE: ("Approved: {what}", "승인했습니다: {what}"),
    Verdict.REJECT: ("Rejected: {what}", "반려했습니다: {what}"),
}
_ONE_MORE: Pair = ("Noted. One more person must say yes.", "승인을 적어 두었습니다. 한 사람이 더 승인해야 합니다.")


class Filters(BaseModel):
    view: Word = ""
    cursor: Word = ""
    done: Word = ""


@router.get("/approvals")
async def inbox(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await (_list_mine(tx, visit, filters) if filters.view == "mine" else _list(tx, visit, filters))
        waiting = await approvals.count_waiting(tx, visit.actor, visit.scope, visit.site.approvables)
        later = await approvals.count_later(tx, visit.actor, visit.scope, visit.site.approvables)
        done = await _find_done(tx, visit, filters.done)
    return await visit.show(
        "approvals.html",
        page=page.items,
        view=filters.view if filters.view in ("mine", *VIEWS) else "",
        waiting=waiting,
        later=later,
        done=done,
        pager=turn(visit, page.cursor),
        offer=_offer(visit, page.items) if filters.view in ("", "later") else None,
        risks=approvals.RISKS,
        telegram=visit.services.settings.telegram_url if visit.site.is_demo else "",
        live_topics=TOPICS,
    )


def _offer(visit: Visit, page: Sequence[Seen]) -> Offer | None:
    """What is asked differs from card to card, so that only those that were ticked are meant."""
    return offer(visit, "platform.approvals", None) if sum(seen.may_decide for seen in page) > 1 else None


@router.get("/approvals/{approval_id}")
async def approval(visit: Visitor, approval_id: RowId) -> Response:
    visit.actor.require(Right.READ, AREA)
    return await _show(visit, approval_id)


@router.post("/approvals/{approval_id}/decision")
async def decide(
    visit: Visitor,
    approval_id: RowId,
    verdict: Annotated[Verdict, Form()],
    reason: Annotated[str, Form()] = "",
    back: Annotated[str, Form()] = "/approvals",
) -> Response:
    known = visit.site.approvables
    try:
        async with visit.change() as tx:
            done = await approvals.decide(
                tx, visit.actor, approval_id, approvables=known, verdict=verdict, reason=reason
            )
            [seen] = await approvals.see(tx, visit.actor, known, [done])
    except (Conflict, Invalid) as error:
        said = f"{explain(error, visit.lang)}" + (f" ({error.detail})" if isinstance(error, Conflict) else "")
        return await _show(visit, approval_id, 409 if isinstance(error, Conflict) else 422, [("", said)])
    said_so = _ONE_MORE if seen.approval.is_open else _DONE[verdict]
    there = back_to(back, "/approvals")
    there = f"{there}?done={approval_id}" if there == "/approvals" else there
    return visit.go(there, said=said_so, what=visit.say(*seen.told.title))


@router.post("/approvals/{approval_id}/later")
async def later(visit: Visitor, approval_id: RowId) -> Response:
    async with visit.change() as tx:
        await approvals.put_off(tx, visit.actor, approval_id, approvables=visit.site.approvables)
    return visit.go("/approvals", said=("It comes back in a while.", "잠시 뒤에 다시 보여 줍니다."))


@router.post("/approvals/{approval_id}/now")
async def take_up(visit: Visitor, approval_id: RowId) -> Response:
    async with visit.change() as tx:
        await approvals.take_up(tx, visit.actor, approval_id)
    return visit.go("/approvals")


@router.post("/approvals/{approval_id}/undo")
async def undo(visit: Visitor, approval_id: RowId) -> Response:
    try:
        async with visit.change() as tx:
            await approvals.undo(tx, visit.actor, approval_id, approvables=visit.site.approvables)
    except Conflict as error:
        return await _show(visit, approval_id, 409, [("", explain(error, visit.lang))])
    return visit.go("/approvals", said=("Taken back.", "되돌렸습니다."))


async def _find_done(tx: Tx, visit: Visit, which: str) -> Seen | None:
    """What the visitor has just decided, as long as they may take it back."""
    if not which.isdecimal() or len(which) > 18:
        return None
    return await approvals.find_undoable(tx, visit.actor, visit.scope, visit.site.approvables, int(which))


async def _show(
    visit: Visit, approval_id: int, status: int = 200, errors: list[tuple[str, str]] | None = None
) -> Response:
    known = visit.site.approvables
    async with visit.read() as tx:
        seen = await approvals.get_seen(tx, visit.actor, visit.scope, known, approval_id)
        similar = await approvals.list_similar(tx, visit.actor, visit.scope, known, seen.approval)
        wanted = WantedHistory(visit.scope.listed, seen.approval.machine, seen.approval.subject)
        before = (await listing.list_transitions(tx, wanted, limit=10)).items
    return await visit.show(
        "approval.html",
        status,
        seen=seen,
        similar=similar,
        before=before,
        errors=errors or [],
        risks=approvals.RISKS,
        live_topics=TOPICS,
    )


async def _list(tx: Tx, visit: Visit, filters: Filters) -> listing.Page[Seen]:
    states = VIEWS.get(filters.view, VIEWS[""])
    kinds = approvals.list_readable(visit.actor, visit.site.approvables)
    wanted = Wanted(
        kinds,
        tuple(state.value for state in states),
        read_before(filters.cursor),
        me=visit.actor.name,
        is_later=filters.view == "later",
    )
    found = await approvals.list_seen(tx, visit.actor, visit.scope, visit.site.approvables, wanted, limit=PAGE + 1)
    return cut_by_id(found, PAGE)


async def _list_mine(tx: Tx, visit: Visit, filters: Filters) -> listing.Page[Seen]:
    """What the visitor decided, the latest first: read from the transitions, of which each has one."""

    async def read(cursor: str | None) -> listing.Page[Any]:
        wanted = WantedHistory(visit.scope.listed, approvals.APPROVAL.name, actor=visit.actor.name)
        return await listing.list_transitions(tx, wanted, limit=PAGE, cursor=cursor)

    page = await read_page(read, filters.cursor)
    numbers = [one.subject for one in page.items]
    found = await approvals.load_seen(tx, visit.actor, visit.scope, visit.site.approvables, numbers)
    return listing.Page(found, page.cursor)
