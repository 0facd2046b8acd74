"""Visit: one request by one actor, in one language, zone and scope. Pages and endpoints get this and nothing else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.platform import approvals, demo, notifications, tenants
from pabal.platform.actor import Actor, Right
from pabal.platform.language.pairs import Lang, Pair, put
from pabal.platform.services import Services
from pabal.platform.tenants import Scope, Unit
from pabal.platform.web.render import Voice
from pabal.platform.web.site import Site
from pabal.platform.web.turns import turn_of

FLASH_COOKIE = "pabal_said"


@dataclass(frozen=True)
class Visit:
    """`session_id` is None for a token and for a guest; a guest's actor is None as well (see `actor`)."""

    request: Request
    site: Site
    who: Actor | None
    scope: Scope
    lang: Lang
    zone: ZoneInfo
    now: datetime
    csrf_token: str = ""
    session_id: int | None = None
    user_id: int | None = None
    theme: str | None = None

    @property
    def services(self) -> Services:
        return self.site.services

    @property
    def actor(self) -> Actor:
        """Only pages for guests have none, and they do not ask."""
        if self.who is None:
            raise LookupError("a guest is no actor")
        return self.who

    @property
    def path(self) -> str:
        return self.request.url.path

    @property
    def here(self) -> str:
        """The path with its query: where to come back to."""
        query = self.request.url.query
        return f"{self.path}?{query}" if query else self.path

    @property
    def query(self) -> dict[str, str]:
        return dict(self.request.query_params)

    def csrf(self) -> Markup:
        """The hidden field of every form that changes something."""
        return Markup('<input type="hidden" name="csrf_token" value="{}">').format(self.csrf_token)

    @property
    def is_fragment(self) -> bool:
        """A script asks for a part of the page, to put it into the one that is there."""
        return self.request.headers.get("HX-Request") == "true" or self.request.headers.get("X-Fragment") == "true"

    @property
    def voice(self) -> Voice:
        return Voice(self.lang, self.zone, self.now, self.site.words)

    @property
    def is_https(self) -> bool:
        """As the server's public address says, or a trusted proxy of this request."""
        return self.site.is_https or self.request.url.scheme == "https"

    def may(self, right: str, area: str) -> bool:
        return self.who is not None and self.who.may(Right[right.upper()], area)

    def say(self, english: str, korean: str, **values: Any) -> str:
        return put(self.lang, (english, korean), **values)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Tx]:
        async with turn_of(self.request).connection(), self._pool(self.services.pages).transaction() as tx:
            yield tx

    @asynccontextmanager
    async def change(self) -> AsyncIterator[Tx]:
        async with turn_of(self.request).connection(), self._pool(self.services.changes).transaction() as tx:
            yield tx

    def _pool(self, own: Database) -> Database:
        """A guest only signs in."""
        return self.services.identity if self.who is None else own

    async def show(self, template: str, /, status_code: int = 200, **values: Any) -> Response:
        """A page in its shell; a fragment is the same template, which then leaves the shell out."""
        shell: dict[str, Any] = {}
        if self.who is not None and not self.is_fragment:
            async with self.read() as tx:
                shell = await load_shell(tx, self)
        said = self.request.cookies.get(FLASH_COOKIE)
        context = {**self.voice.helpers(), "visit": self, "csrf": self.csrf, "may": self.may, "flash": None}
        if said and not self.is_fragment:
            context["flash"] = self.site.read_flash(said, self.lang)
        page = self.site.templates.get_template(template).render(**context, **shell, **values)
        answer = HTMLResponse(page, status_code=status_code)
        if context["flash"]:
            self.drop_cookie(answer, FLASH_COOKIE)
        return answer

    def go(self, url: str, *, said: Pair | None = None, **values: Any) -> Response:
        """After a change: to a page one may reload, with a word about what was done. Only to places of ours."""
        there = url if url.startswith("/") and not url.startswith(("//", "/\\")) else "/"
        answer = RedirectResponse(quote(there, safe="/?&=%#:@,+~*!$'();-._"), status_code=303)
        if said is not None:
            text = self.site.write_flash((put("en", said, **values), put("ko", said, **values)))
            self.keep_cookie(answer, FLASH_COOKIE, text, seconds=60)
        return answer

    def keep_cookie(self, answer: Response, name: str, value: str, *, seconds: int) -> None:
        """The one way a cookie is set: no script reads it, no other site sends it, and under https it is Secure."""
        answer.set_cookie(name, value, max_age=seconds, path="/", httponly=True, samesite="lax", secure=self.is_https)

    def drop_cookie(self, answer: Response, name: str) -> None:
        answer.delete_cookie(name, path="/", httponly=True, samesite="lax", secure=self.is_https)


if TYPE_CHECKING:
    from pabal.platform.slice import Slice
    from pabal.platform.web.visit import Visit


async def load_shell(tx: Tx, visit: "Visit") -> dict[str, Any]:
    own = await tenants.visible_to(tx, visit.actor)
    path = [] if visit.scope.unit_id is None else await tenants.list_path(tx, visit.scope.unit_id)
    has_choice = own.units is None or len(own.units) > 1
    units = await tenants.list_units(tx, own.listed) if has_choice else []
    return {
        "nav": await _menu(tx, visit, own),
        # a branch does not learn who stands above it
        "scope_path": [unit for unit in path if own.holds(unit.id)],
        "scope_choices": _choices(units, visit.scope),
        "unread": await notifications.count_unread(tx, visit.actor) if visit.may("read", notifications.AREA) else 0,
        **await load_demo(tx, visit, own),
    }


async def load_demo(tx: Tx, visit: "Visit", own: Scope) -> dict[str, Any]:
    """What the demo's ribbon shows."""
    may_travel = visit.site.is_demo
    return {
        "is_demo": await demo.is_loaded(tx),
        "may_travel": may_travel,
        "may_run_demo": may_travel and own.units is None and visit.may("manage", demo.AREA),
        "demo_now": tx.now,
        "trip": await clock.find_trip(tx) if may_travel else None,
    }


async def _menu(tx: Tx, visit: "Visit", own: Scope) -> list[dict[str, Any]]:
    overview = {
        "key": "overview",
        "label": put(visit.lang, ("Overview", "관제")),
        "icon": "layout-dashboard",
        "href": "/",
        "items": [],
        "need": 0,
        "current": visit.path == "/",
        "goto": "o",
    }
    inbox = [await _inbox(tx, visit)] if visit.actor.may(Right.READ, approvals.AREA) else []
    groups = [group for one in visit.site.slices if (group := await _group(tx, visit, one, own)) is not None]
    return [overview, *inbox, *groups]


async def _inbox(tx: Tx, visit: "Visit") -> dict[str, Any]:
    """With the number of what this visitor could decide now."""
    return {
        "key": "approvals",
        "label": put(visit.lang, ("Approvals", "승인함")),
        "icon": "checkbox",
        "href": "/approvals",
        "items": [],
        "need": await approvals.count_waiting(tx, visit.actor, visit.scope, visit.site.approvables),
        "current": _is_at(visit.path, "/approvals"),
        "goto": "i",
    }


async def _group(tx: Tx, visit: "Visit", one: "Slice", own: Scope) -> dict[str, Any] | None:
    # of a page below another one in the menu, only the deeper is where one is
    here = max((item.href for item in one.nav if _is_at(visit.path, item.href)), key=len, default=None)
    items = [
        {
            "label": put(visit.lang, item.label),
            "href": item.href,
            "need": 0 if item.need is None else await item.need(tx, visit.scope),
            "current": item.href == here,
            "goto": item.goto,
        }
        for item in one.nav
        if visit.actor.may(Right.READ, item.area) and (own.units is None or not item.is_of_house)
    ]
    if not items:
        return None
    return {
        "key": one.name,
        "label": put(visit.lang, one.label),
        "icon": one.icon,
        "items": items,
        "need": sum(item["need"] for item in items),
        "current": any(item["current"] for item in items),
    }


def _choices(units: list[Unit], scope: Scope) -> list[dict[str, Any]]:
    """Indented by how deep they stand below the top one."""
    depths: dict[int, int] = {}
    for unit in units:
        depths[unit.id] = depths.get(unit.parent_id or 0, -1) + 1
    return [
        {"id": unit.id, "name": unit.name, "depth": depths[unit.id], "current": unit.id == scope.unit_id}
        for unit in units
    ]


def _is_at(path: str, href: str) -> bool:
    return path == href or path.startswith(f"{href}/")
