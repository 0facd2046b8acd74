"""Users: people, their role and their unit. Passwords are chosen by themselves, through a one-time link."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Asked, Number, Shown, answer, fill, may_read, noun
from pabal.base.database import Tx
from pabal.engine import listing
from pabal.platform import auth
from pabal.platform.actor import Role
from pabal.platform.auth import IssuedLink, NewUser, User
from pabal.platform.tenants import visible_to
from pabal.platform.web.etags import answer_one, check_match
from pabal.platform.web.filters import Listed, Word
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_list
from pabal.platform.web.visit import Visit

router = noun("users")
AREA = "people"


class UserFilter(Listed):
    q: Annotated[Word | None, Field(description="A part of the login or the name.")] = None
    role: Role | None = None
    active: Annotated[bool | None, Field(description="Only those who may sign in, or only those who may not.")] = None


class UserShown(Shown):
    id: int = Field(examples=[12])
    unit_id: int = Field(examples=[3])
    login: str = Field(examples=["kim"])
    name: str = Field(examples=["김운영"])
    role: Role = Field(examples=["operator"])
    language: str | None = Field(examples=["ko"])
    timezone: str = Field(examples=["Asia/Seoul"])
    is_active: bool = Field(examples=[True])
    has_password: bool = Field(examples=[True])
    created_at: datetime
    signed_in_at: datetime | None


class UserToAdd(Asked):
    login: Word = Field(examples=["kim"])
    name: Word = Field(examples=["김운영"])
    unit_id: int = Field(ge=1, lt=2**63, examples=[3])
    role: Role = Field(examples=["operator"])


class UserChange(Asked):
    """Only what is given changes. Another role or unit, or being deactivated, ends a person's sessions and revokes the
    tokens they made, at once."""

    name: Word | None = Field(default=None, examples=["김운영"])
    role: Role | None = Field(default=None, examples=["viewer"])
    unit_id: int | None = Field(default=None, ge=1, lt=2**63, examples=[3])
    is_active: bool | None = Field(default=None, examples=[True])


class LinkShown(Shown):
    """The link works once and is shown once."""

    user_id: int = Field(examples=[12])
    path: str = Field(examples=["/sign-in/link/…"])
    expires_at: datetime


@router.get("/users", response_model=Page[UserShown])
async def list_users(visit: Visitor, wanted: Annotated[UserFilter, Query()]) -> Response:
    """Lists the people of your organisation, by login."""
    may_read(visit, AREA)

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[User]:
        after = "" if cursor is None else listing.paging.read_cursor(cursor, str)[0]
        found = await auth.list_users(
            tx,
            visit.scope,
            after=after,
            words=wanted.q,
            role=wanted.role,
            is_active=wanted.active,
            limit=limit + 1,
        )
        return listing.paging.cut(found, limit, lambda one: listing.paging.show_cursor(one.login))

    return await answer_list(visit, wanted, Source("users", UserShown, load, show))


@router.get("/users/{id}", response_model=UserShown)
async def get_user(visit: Visitor, id: Number) -> Response:
    """Shows one person."""
    async with visit.read() as tx:
        found = await _find(tx, visit, id)
    return answer_one(visit, found)


@router.post("/users", response_model=UserShown, status_code=201)
async def add_user(visit: Visitor, once: OnceOnly, asked: UserToAdd) -> Response:
    """Adds a person, who signs in with a one-time link first."""

    async def act(tx: Tx) -> Response:
        new = NewUser(asked.login, asked.name, asked.unit_id, asked.role)
        made = await auth.add_user(tx, visit.actor, new)
        return answer(show(made), 201, location=f"/users/{made.id}")

    return await once.run(act)


@router.patch("/users/{id}", response_model=UserShown)
async def edit_user(visit: Visitor, once: OnceOnly, id: Number, asked: UserChange) -> Response:
    """Changes a person's name, role, unit, or whether they may sign in."""

    async def act(tx: Tx) -> Response:
        check_match(visit, await _find(tx, visit, id))
        after = await auth.edit_user(tx, visit.actor, id, **asked.model_dump())
        return answer_one(visit, show(after))

    return await once.run(act)


@router.post("/users/{id}/link", response_model=LinkShown, status_code=201)
async def issue_link(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Makes a one-time sign-in link; an earlier one is void."""

    async def act(tx: Tx) -> Response:
        return answer(_link(await auth.issue_link(tx, visit.actor, id)), 201)

    return await once.run(act)


@router.post("/users/{id}/reset-password", response_model=LinkShown, status_code=201)
async def reset_password(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Voids a person's password, sessions and the tokens they made, and makes a link to choose a new one with."""

    async def act(tx: Tx) -> Response:
        return answer(_link(await auth.reset_password(tx, visit.actor, id)), 201)

    return await once.run(act)


def show(user: User) -> UserShown:
    return fill(UserShown, user, timezone=user.zone)


def _link(link: IssuedLink) -> LinkShown:
    return LinkShown(user_id=link.user.id, path=f"/sign-in/link/{link.secret}", expires_at=link.expires_at)


async def _find(tx: Tx, visit: Visit, user_id: int) -> UserShown:
    may_read(visit, AREA)
    return show(await auth.get_user(tx, await visible_to(tx, visit.actor), user_id))
