"""One person: name, role, unit, whether they may sign in, and their ways in. A sign-in link is shown once, here."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response
from pydantic import BaseModel, Field

from pabal.base.errors import Conflict, Invalid, PabalError
from pabal.console.people import (
    AREA,
    LAST,
    LINK_HOURS,
    Failed,
    Filters,
    Number,
    fail,
    roles_to_give,
    show_people,
    state_of,
)
from pabal.platform import auth, tenants
from pabal.platform.actor import Right, Role
from pabal.platform.auth import IssuedLink, NewUser
from pabal.platform.web.identify import Visitor
from pabal.platform.web.tree import LEVELS, load_tree
from pabal.platform.web.visit import Visit

router = APIRouter()
# Which field of a form an error is about.
_AT: dict[type[PabalError], str] = {
    auth.BadLogin: "login",
    auth.LoginTaken: "login",
    auth.BadDisplayName: "name",
    auth.LastAdmin: "role",
}

Hours = Annotated[int, Form(ge=1, le=168)]


class PersonToAdd(BaseModel):
    login: Annotated[str, Field(max_length=1000)] = ""
    name: Annotated[str, Field(max_length=1000)] = ""
    unit: Annotated[int, Field(ge=1, le=LAST)]
    role: Role
    hours: Annotated[int, Field(ge=1, le=168)] = 24


class PersonChange(BaseModel):
    """One's own role and unit are not in the form: another administrator changes those."""

    name: Annotated[str, Field(max_length=1000)] = ""
    role: Role | None = None
    unit: Annotated[int, Field(ge=1, le=LAST)] | None = None


@dataclass(frozen=True, slots=True)
class ShownLink:
    """A way in on its way to the one page that shows it."""

    url: str
    expires_at: datetime
    is_reset: bool


@router.get("/people/users")
async def to_the_people(visit: Visitor) -> Response:
    """The address of the answer that showed a link: whoever comes back to it finds no link there."""
    return visit.go("/people")


@router.post("/people/users")
async def add_user(visit: Visitor, asked: Annotated[PersonToAdd, Form()]) -> Response:
    try:
        async with visit.change() as tx:
            made = await auth.add_user(tx, visit.actor, NewUser(asked.login, asked.name, asked.unit, asked.role))
            link = await auth.issue_link(tx, visit.actor, made.id, valid_for=timedelta(hours=asked.hours))
    except (Invalid, Conflict) as error:
        failed = fail(visit, "add-person", error, _AT.get(type(error), ""), asked.model_dump(mode="json"))
        return await show_people(visit, Filters(), failed)
    return await _show_link(visit, link)


@router.get("/people/users/{user_id}")
async def user(visit: Visitor, user_id: Number) -> Response:
    return await _show(visit, user_id)


@router.post("/people/users/{user_id}")
async def edit_user(visit: Visitor, user_id: Number, asked: Annotated[PersonChange, Form()]) -> Response:
    try:
        async with visit.change() as tx:
            await auth.edit_user(tx, visit.actor, user_id, name=asked.name, role=asked.role, unit_id=asked.unit)
    except (Invalid, Conflict) as error:
        typed = asked.model_dump(mode="json", exclude_none=True)
        return await _show(visit, user_id, failed=fail(visit, "edit", error, _AT.get(type(error), ""), typed))
    return visit.go(f"/people/users/{user_id}", said=("Saved.", "저장했습니다."))


@router.post("/people/users/{user_id}/deactivate")
async def deactivate(visit: Visitor, user_id: Number) -> Response:
    try:
        async with visit.change() as tx:
            await auth.deactivate_user(tx, visit.actor, user_id)
    except Conflict as error:
        return await _show(visit, user_id, failed=fail(visit, "access", error, "", {}))
    said = ("They can no longer sign in.", "이제 로그인할 수 없습니다.")
    return visit.go(f"/people/users/{user_id}", said=said)


@router.post("/people/users/{user_id}/activate")
async def activate(visit: Visitor, user_id: Number) -> Response:
    async with visit.change() as tx:
        await auth.edit_user(tx, visit.actor, user_id, is_active=True)
    return visit.go(f"/people/users/{user_id}", said=("They can sign in again.", "다시 로그인할 수 있습니다."))


@router.post("/people/users/{user_id}/link")
async def issue_link(visit: Visitor, user_id: Number, hours: Hours = 24) -> Response:
    try:
        async with visit.change() as tx:
            link = await auth.issue_link(tx, visit.actor, user_id, valid_for=timedelta(hours=hours))
    except Conflict as error:
        return await _show(visit, user_id, failed=fail(visit, "access", error, "", {}))
    return await _show_link(visit, link)


@router.post("/people/users/{user_id}/reset-password")
async def reset_password(visit: Visitor, user_id: Number, hours: Hours = 24) -> Response:
    try:
        async with visit.change() as tx:
            link = await auth.reset_password(tx, visit.actor, user_id, valid_for=timedelta(hours=hours))
    except Conflict as error:
        return await _show(visit, user_id, failed=fail(visit, "access", error, "", {}))
    return await _show_link(visit, link, is_reset=True)


@router.get("/people/users/{user_id}/{verb}")
async def back_to_user(visit: Visitor, user_id: Number, verb: str) -> Response:
    """As above: the address of an answer that showed a link holds none."""
    return visit.go(f"/people/users/{user_id}")


def address_of(visit: Visit) -> str:
    """How this server is reached from where the visitor is."""
    return (visit.services.settings.public_url or str(visit.request.base_url)).rstrip("/")


async def _show_link(visit: Visit, link: IssuedLink, *, is_reset: bool = False) -> Response:
    """The page itself answers: a redirect would have to carry the secret in an address or a cookie."""
    url = f"{address_of(visit)}/sign-in/link/{link.secret}"
    answer = await _show(visit, link.user.id, link=ShownLink(url, link.expires_at, is_reset))
    answer.headers["Cache-Control"] = "no-store"
    return answer


async def _show(visit: Visit, user_id: int, *, link: ShownLink | None = None, failed: Failed | None = None) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        scope = await tenants.visible_to(tx, visit.actor)
        found = await auth.get_user(tx, scope, user_id)
        tree = await load_tree(tx, scope)
    return await visit.show(
        "user.html",
        200 if failed is None else failed.status,
        user=found,
        state=state_of(found),
        is_self=found.id == visit.user_id,
        may_edit=visit.may("manage", AREA) and auth.may_give(visit.actor, found.role),
        link=link,
        failed=failed,
        tree=tree,
        level=LEVELS[tree.by_id[found.unit_id].level],
        roles_to_give=roles_to_give(visit),
        hours=[(hours, visit.say(*said)) for hours, said in LINK_HOURS.items()],
    )
