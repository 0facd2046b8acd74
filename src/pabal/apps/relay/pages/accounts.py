"""Accounts: whether an instance reads, what waits for it, how much it asks; its token, shown once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import accounts as actions
from pabal.apps.relay.actions.accounts import LONGEST_NAME, LONGEST_USER, AccountToken
from pabal.apps.relay.errors import AccountNameTaken, BadAccount
from pabal.apps.relay.model.messages import AREA, Account
from pabal.apps.relay.pages.page_texts import (
    ACCOUNT_TOPICS,
    ACCOUNTS,
    PAGE,
    Typed,
    address_of,
    short_key,
)
from pabal.apps.relay.store import accounts, conversations, live
from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.platform import settings
from pabal.platform.actor import Right
from pabal.platform.findings import Finding, find_wrong, texts_by_field
from pabal.platform.language.pairs import Pair
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import Word, midnight, read_number, today, turn
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(prefix=ACCOUNTS, include_in_schema=False)
LAST = 10
LARGEST_LIMIT = 1_000_000
OVERLAPS: dict[int, Pair] = {
    0: ("the old one ends at once", "이전 토큰 즉시 만료"),
    600: ("10 minutes", "10분"),
    3600: ("1 hour", "1시간"),
    86400: ("1 day", "1일"),
}
NAME_LENGTH: Pair = ("A name has 1 to 100 characters.", "이름은 1~100자로 적어 주세요.")
USER_LENGTH: Pair = ("At most 200 characters.", "200자까지 적을 수 있습니다.")
NO_LIMIT: Pair = ("A whole number from 1 to 1,000,000.", "1부터 1,000,000까지의 숫자로 적어 주세요.")


class Filters(BaseModel):
    q: Word = ""
    waiting: Word = ""
    cursor: str = ""

    @property
    def is_set(self) -> bool:
        return bool(self.q or self.waiting)


class Draft(BaseModel):
    """Every field as it was typed."""

    model_config = ConfigDict(frozen=True)

    name: Typed = ""
    openclaw_user_id: Typed = ""
    rate_limit: Typed = ""
    asks_owner: Typed = ""
    unit_id: Typed = ""


@dataclass(frozen=True, slots=True)
class Line:
    account: Account
    state: str
    path: list[str]

    @property
    def share(self) -> float:
        """Of this minute's limit, in percent."""
        return 100.0 * self.account.used / self.account.rate_limit_per_minute


@dataclass(frozen=True, slots=True)
class Paid:
    """Late answers sent through the Event API since the month began, as far back as messages are kept."""

    count: int
    cost: int
    since: datetime
    is_on: bool


@router.get("")
async def show_list(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await _load_page(tx, visit, filters)
        lines = await _show_lines(tx, visit, page.items)
        paid = await _count_paid(tx, visit)
    return await visit.show(
        "relay/accounts.html",
        lines=lines,
        paid=paid,
        filters=filters,
        pager=turn(visit, page.cursor),
        live_topics=ACCOUNT_TOPICS,
    )


@router.get("/new")
async def new(visit: Visitor) -> Response:
    visit.actor.require(Right.MANAGE, AREA)
    async with visit.read() as tx:
        limit = await settings.value(tx, own.RATE_LIMIT)
    return await _show_form(visit, Draft(rate_limit=str(limit), unit_id=str(visit.scope.unit_id or "")), None)


@router.post("/new")
async def create(visit: Visitor, draft: Annotated[Draft, Form()]) -> Response:
    visit.actor.require(Right.MANAGE, AREA)
    faults = _check(draft)
    if faults:
        return await _show_form(visit, draft, None, faults)
    user, owner = draft.openclaw_user_id or None, read_number(draft.unit_id)
    try:
        async with visit.change() as tx:
            made = await actions.create_account(tx, visit.actor, openclaw_user_id=user, unit_id=owner, **_read(draft))
    except (AccountNameTaken, BadAccount) as error:
        return await _show_form(visit, draft, None, [find_wrong(error, "openclaw_user_id")])
    return await _show_made(visit, made)


@router.get("/{account_id}")
async def show(visit: Visitor, account_id: UUID) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        account = await accounts.get_account(tx, visit.scope, account_id)
        [line] = await _show_lines(tx, visit, [account])
        talks = await conversations.list_conversations(tx, visit.scope, account_id=account_id, limit=LAST)
        codes = await accounts.list_codes(tx, visit.scope, account_id=account_id)
        paid = await _count_paid(tx, visit, account_id)
        overlap = await settings.value(tx, own.TOKEN_OVERLAP)
    return await visit.show(
        "relay/account.html",
        line=line,
        one=account,
        talks=[(one, short_key(one.conversation_key)) for one in talks.items],
        codes=codes.items,
        paid=paid,
        overlaps=_list_overlaps(visit, overlap),
        live_topics=ACCOUNT_TOPICS,
    )


@router.get("/{account_id}/edit")
async def edit(visit: Visitor, account_id: UUID) -> Response:
    visit.actor.require(Right.MANAGE, AREA)
    async with visit.read() as tx:
        account = await accounts.get_account(tx, visit.scope, account_id)
    return await _show_form(visit, _draft_of(account), account)


@router.post("/{account_id}/edit")
async def change(visit: Visitor, account_id: UUID, draft: Annotated[Draft, Form()]) -> Response:
    visit.actor.require(Right.MANAGE, AREA)
    async with visit.read() as tx:
        account = await accounts.get_account(tx, visit.scope, account_id)
    faults = _check(draft)
    if faults:
        return await _show_form(visit, draft, account, faults)
    owner = read_number(draft.unit_id) or account.unit_id
    async with visit.change() as tx:
        done = await actions.edit_account(tx, visit.actor, account_id, unit_id=owner, **_read(draft))
    return visit.go(f"{ACCOUNTS}/{account_id}", said=("Saved: {name}", "저장했습니다: {name}"), name=done.name)


@router.post("/{account_id}/rotate")
async def rotate(visit: Visitor, account_id: UUID, overlap: Annotated[int, Form(ge=0, le=604800)]) -> Response:
    async with visit.change() as tx:
        made = await actions.rotate_token(tx, visit.actor, account_id, overlap=timedelta(seconds=overlap))
    return await _show_made(visit, made)


@router.get("/{account_id}/rotate")
async def back_to_account(visit: Visitor, account_id: UUID) -> Response:
    """The address of the answer that showed a token: whoever comes back to it finds none there."""
    return visit.go(f"{ACCOUNTS}/{account_id}")


@router.post("/{account_id}/disable")
async def disable(visit: Visitor, account_id: UUID, reason: Annotated[Typed, Form()] = "") -> Response:
    async with visit.change() as tx:
        done = await actions.disable_account(tx, visit.actor, account_id, reason=reason or None)
    said = ("{name} is switched off.", "{name} 계정을 껐습니다.")
    return visit.go(f"{ACCOUNTS}/{account_id}", said=said, name=done.name)


@router.post("/{account_id}/enable")
async def enable(visit: Visitor, account_id: UUID) -> Response:
    async with visit.change() as tx:
        done = await actions.enable_account(tx, visit.actor, account_id)
    said = ("{name} is switched on again.", "{name} 계정을 다시 켰습니다.")
    return visit.go(f"{ACCOUNTS}/{account_id}", said=said, name=done.name)


async def _load_page(tx: Tx, visit: Visit, filters: Filters) -> Page[Account]:
    return await read_page(
        lambda cursor: accounts.list_accounts(
            tx, visit.scope, q=filters.q, with_waiting=bool(filters.waiting), cursor=cursor, limit=PAGE
        ),
        filters.cursor,
    )


async def _show_lines(tx: Tx, visit: Visit, found: Sequence[Account]) -> list[Line]:
    tree = await load_tree(tx, visit.scope)
    return [Line(one, one.state, tree.names(one.unit_id)) for one in found]


async def _count_paid(tx: Tx, visit: Visit, account_id: UUID | None = None) -> Paid:
    values = await settings.values(tx, [own.EVENT_COST, own.EVENT_API, own.KEEP_MESSAGES])
    month = midnight(visit, today(visit).replace(day=1))
    since = max(month, tx.now - values[own.KEEP_MESSAGES])
    count = await live.count_pushed(tx, visit.scope, since, account_id=account_id)
    return Paid(count, count * values[own.EVENT_COST], since, values[own.EVENT_API])


async def _show_form(visit: Visit, draft: Draft, account: Account | None, faults: Sequence[Finding] = ()) -> Response:
    async with visit.read() as tx:
        tree = await load_tree(tx, visit.scope)
    return await visit.show(
        "relay/account_form.html",
        422 if faults else 200,
        draft=draft,
        account=account,
        faults=texts_by_field(faults),
        units=tree.choices(),
    )


async def _show_made(visit: Visit, made: AccountToken) -> Response:
    """The page itself answers: a redirect would have to carry the token in an address or a cookie."""
    answer = await visit.show(
        "relay/account_token.html",
        account=made.account,
        token=made.token,
        old_until=made.old_until,
        address=address_of(visit),
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _list_overlaps(visit: Visit, usual: timedelta) -> list[tuple[int, str]]:
    """The usual one first."""
    seconds = int(usual.total_seconds())
    said = OVERLAPS | ({} if seconds in OVERLAPS else {seconds: (visit.voice.span(usual),) * 2})
    return sorted(((one, visit.say(*text)) for one, text in said.items()), key=lambda each: each[0] != seconds)


def _draft_of(account: Account) -> Draft:
    return Draft(
        name=account.name,
        openclaw_user_id=account.openclaw_user_id,
        rate_limit=str(account.rate_limit_per_minute),
        asks_owner="yes" if account.asks_owner else "",
        unit_id=str(account.unit_id),
    )


def _check(draft: Draft) -> list[Finding]:
    faults = []
    if not 1 <= len(draft.name) <= LONGEST_NAME:
        faults.append(Finding("bad_account", "name", NAME_LENGTH))
    if len(draft.openclaw_user_id) > LONGEST_USER:
        faults.append(Finding("bad_account", "openclaw_user_id", USER_LENGTH))
    if not 1 <= (read_number(draft.rate_limit) or 0) <= LARGEST_LIMIT:
        faults.append(Finding("bad_account", "rate_limit", NO_LIMIT))
    return faults


def _read(draft: Draft) -> dict[str, Any]:
    limit = read_number(draft.rate_limit)
    return {"name": draft.name, "rate_limit_per_minute": limit, "asks_owner": bool(draft.asks_owner)}
