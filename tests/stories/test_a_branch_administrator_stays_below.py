"""Every way up that a branch's administrator could try, by a session and by a token: none leads above their unit."""

from datetime import timedelta
from typing import Any, Literal

import httpx2
import pytest

from pabal.platform import auth
from pabal.platform.actor import ENGINE, EVERYTHING, Role
from tests.support.web import Web

NOT_FOUND, FORBIDDEN = 404, 403


@pytest.mark.parametrize("by", ["session", "token"])
async def test_nothing_above_or_of_the_whole_house_is_theirs(web: Web, by: Literal["session", "token"]) -> None:
    boss, mine = await web.person("hq", Role.ADMIN), await web.person("haeundae", Role.ADMIN)
    me, hq, busan = await web.person("busan", Role.ADMIN), web.tree.hq.id, web.tree.busan.id
    token_of_hq = await _token_of_hq(web)
    branch = await web.as_("busan", by=by)
    tries: list[tuple[int, str, str, dict[str, Any] | None]] = [
        (NOT_FOUND, "POST", "/users", {"login": "mole", "name": "Mole", "unit_id": hq, "role": "admin"}),
        (
            NOT_FOUND,
            "POST",
            "/users",
            {"login": "mole", "name": "Mole", "unit_id": web.tree.seoul.id, "role": "viewer"},
        ),
        (NOT_FOUND, "PATCH", f"/users/{boss.id}", {"is_active": False}),
        (NOT_FOUND, "PATCH", f"/users/{boss.id}", {"unit_id": busan}),
        (NOT_FOUND, "PATCH", f"/users/{mine.id}", {"unit_id": hq}),
        (NOT_FOUND, "POST", f"/users/{boss.id}/link", None),
        (NOT_FOUND, "POST", f"/users/{boss.id}/reset-password", None),
        (NOT_FOUND, "POST", "/units", {"parent_id": hq, "level": "distributor", "name": "새 총판"}),
        (NOT_FOUND, "PATCH", f"/units/{web.tree.haeundae.id}", {"parent_id": hq}),
        (NOT_FOUND, "PATCH", f"/units/{web.tree.seoul.id}", {"parent_id": busan}),
        (NOT_FOUND, "PATCH", f"/units/{hq}", {"name": "우리"}),
        (FORBIDDEN, "PATCH", f"/units/{busan}", {"parent_id": web.tree.nampo.id}),
        (NOT_FOUND, "POST", "/tokens", await _token(web, hq)),
        (NOT_FOUND, "POST", f"/tokens/{token_of_hq}/rotate", {}),
        (FORBIDDEN, "PUT", "/settings/notifications.keep", {"value": "1d"}),
        (FORBIDDEN, "POST", "/backups", None),
    ]

    answers = [(await _ask(branch, method, path, body)).status_code for _, method, path, body in tries]

    assert list(zip(answers, tries, strict=True)) == [(expected[0], expected) for expected in tries]
    if by == "session":
        own = await _ask(branch, "PATCH", f"/users/{me.id}", {"unit_id": web.tree.haeundae.id})
        assert (own.status_code, own.json()["code"]) == (403, "own_account")


async def test_a_token_makes_nobody_who_may_more_than_itself(web: Web) -> None:
    narrow = await web.as_("busan", Role.ADMIN, scopes=("people:manage",))
    mine = await web.person("haeundae", Role.ADMIN)
    unit = web.tree.busan.id
    wide = await _token(web, unit)

    answers = [
        await _ask(narrow, "POST", "/tokens", wide),
        await _ask(narrow, "POST", "/tokens", {**wide, "scopes": ["settings:read"]}),
        await _ask(narrow, "POST", "/users", {"login": "mole", "name": "Mole", "unit_id": unit, "role": "admin"}),
        await _ask(narrow, "POST", f"/users/{mine.id}/link", None),
        await _ask(narrow, "POST", f"/users/{mine.id}/reset-password", None),
        await _ask(narrow, "PATCH", f"/users/{mine.id}", {"unit_id": web.tree.nampo.id}),
    ]

    assert [(one.status_code, one.json()["code"]) for one in answers] == [(403, "not_allowed")] * 6


async def _token(web: Web, unit_id: int) -> dict[str, Any]:
    async with web.db.transaction() as tx:
        until = (tx.now + timedelta(days=30)).isoformat()
    return {"name": "wide", "unit_id": unit_id, "role": "admin", "scopes": [EVERYTHING], "expires_at": until}


async def _token_of_hq(web: Web) -> int:
    async with web.db.transaction() as tx:
        new = auth.NewToken("hq", web.tree.hq.id, Role.ADMIN, (EVERYTHING,), tx.now + timedelta(days=1))
        return (await auth.make_token(tx, ENGINE, new)).token.id


async def _ask(client: httpx2.AsyncClient, method: str, path: str, body: dict[str, Any] | None) -> httpx2.Response:
    return await client.request(method, f"/api/v1{path}", json=body)
