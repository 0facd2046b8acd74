"""Tokens in the console: a secret is shown once, in the answer to its making."""

import html
import re
from datetime import timedelta
from typing import Any

import pytest

from pabal.base import clock
from pabal.platform import audit, auth
from pabal.platform.actor import ENGINE, EVERYTHING, Role
from pabal.platform.audit import Wanted
from pabal.platform.auth import MadeToken, NewToken, Token
from pabal.platform.tenants import Scope
from tests.support.pages import read, visitor
from tests.support.web import Web

HTML = {"Accept": "text/html"}
_SECRET = re.compile(r"pbl_[A-Za-z0-9_-]{43}")


async def make(web: Web, unit: str, name: str = "nightly", scopes: tuple[str, ...] = (EVERYTHING,)) -> MadeToken:
    async with web.db.transaction() as tx:
        new = NewToken(name, web.unit(unit).id, Role.VIEWER, scopes, tx.now + timedelta(days=30))
        return await auth.make_token(tx, ENGINE, new)


async def list_tokens(web: Web) -> list[Token]:
    async with web.db.transaction() as tx:
        return await auth.list_tokens(tx, Scope(None, None))


async def works(web: Web, secret: str) -> bool:
    client = await web.client({"Authorization": f"Bearer {secret}"})
    return (await client.get("/api/v1/me")).status_code == 200


def asked(web: Web, unit: str = "haeundae", **other: Any) -> dict[str, Any]:
    return {"name": "nightly", "unit": web.unit(unit).id, "role": "operator", "scope": ["jobs:read"], **other}


def secret_in(text: str) -> str:
    found = set(_SECRET.findall(text))
    assert len(found) == 1, text
    return found.pop()


async def test_a_made_token_works_and_its_secret_is_shown_once(web: Web, capfd: pytest.CaptureFixture[str]) -> None:
    client = await visitor(web)

    answer = await client.post("/people/tokens", data=asked(web))
    secret = secret_in(answer.text)
    [token] = await list_tokens(web)
    later = await read(client, "/people/tokens") + await read(client, f"/people/tokens/{token.id}")

    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert secret not in f"{answer.headers}{answer.url}{answer.cookies}"
    assert "/api/v1/me" in answer.text
    assert await works(web, secret)
    assert secret not in later
    assert token.start in later
    assert secret not in "".join(capfd.readouterr())
    async with web.db.transaction() as tx:
        assert secret not in str(await audit.list_entries(tx, Wanted()))


async def test_of_each_area_the_strongest_right_is_kept(web: Web) -> None:
    client = await visitor(web)

    await client.post("/people/tokens", data=asked(web, scope=["jobs:read", "jobs:write", "audit:read"], days=7))

    [token] = await list_tokens(web)
    assert sorted(token.scopes) == ["audit:read", "jobs:write"]
    assert token.expires_at - token.created_at == timedelta(days=7)
    assert token.role is Role.OPERATOR


async def test_everything_needs_no_ticks(web: Web) -> None:
    await (await visitor(web)).post("/people/tokens", data=asked(web, reach="all", scope=[]))

    [token] = await list_tokens(web)
    assert token.scopes == [EVERYTHING]


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"scope": []}, "토큰 하나에 1~50개"),
    ({"scope": ["jobs:destroy"]}, "영역:manage 꼴"),
    ({"days": 401}, "토큰은 400일"),
    ({"days": 0}, "토큰은 400일"),
    ({"name": "\t"}, "이름은 보이는 글자로"),
)


async def test_a_token_that_cannot_be_made_keeps_what_was_typed(web: Web) -> None:
    client = await visitor(web, lang="ko")

    for wrong, said in WRONG:
        answer = await client.post("/people/tokens", data=asked(web, **wrong))

        assert answer.status_code == 422, wrong
        assert said in html.unescape(answer.text), wrong
        assert "name" in wrong or 'value="nightly"' in answer.text
        assert "scope" in wrong or 'value="jobs:read" aria-label="작업: 보기" checked' in answer.text
    assert await list_tokens(web) == []


async def test_the_list_says_in_words_what_a_token_can_really_do(web: Web) -> None:
    await make(web, "haeundae", "reader", ("jobs:write", "*:read"))
    await make(web, "haeundae", "whole")

    korean = await read(await visitor(web, lang="ko"), "/people/tokens")
    english = await read(await visitor(web), "/people/tokens")

    assert "작업: 보기, 전부: 보기" in korean
    assert "역할이 허락하는 전부" in korean
    assert "Jobs: read, everything: read" in english
    assert "command line" in english


async def test_a_rotated_token_and_its_successor_work_side_by_side(web: Web) -> None:
    old = await make(web, "haeundae")
    client = await visitor(web)

    answer = await client.post(f"/people/tokens/{old.token.id}/rotate", data={"overlap": 24})
    new = secret_in(answer.text)
    page = await read(client, "/people/tokens")
    twice = await client.post(f"/people/tokens/{old.token.id}/rotate", data={"overlap": 24})

    assert answer.headers["Cache-Control"] == "no-store"
    assert await works(web, new)
    assert await works(web, old.secret)
    assert 'data-state="rotating"' in page
    assert twice.status_code == 409
    assert "was replaced already" in twice.text


async def test_without_overlap_the_old_secret_ends_at_once(web: Web) -> None:
    old = await make(web, "haeundae")

    answer = await (await visitor(web)).post(f"/people/tokens/{old.token.id}/rotate", data={"overlap": 0})

    assert await works(web, secret_in(answer.text))
    assert not await works(web, old.secret)


async def test_a_revoked_token_is_refused_and_says_so_when_revoked_again(web: Web) -> None:
    made = await make(web, "haeundae")
    client = await visitor(web)

    done = await client.post(f"/people/tokens/{made.token.id}/revoke")
    again = await client.post(f"/people/tokens/{made.token.id}/revoke")

    assert done.headers["Location"] == "/people/tokens"
    assert not await works(web, made.secret)
    assert 'data-state="revoked"' in await read(client, "/people/tokens")
    assert again.status_code == 409


async def test_a_token_past_its_end_is_shown_as_expired(web: Web) -> None:
    made = await make(web, "haeundae")
    await clock.advance(web.db, timedelta(days=31))
    client = await visitor(web)

    page = await read(client, f"/people/tokens/{made.token.id}")

    assert 'data-state="expired"' in page
    assert "/rotate" not in page
    assert "/revoke" not in page


async def test_a_branch_administrator_reaches_no_token_of_a_neighbour(web: Web) -> None:
    theirs = await make(web, "gangnam", "their report")
    client = await visitor(web, "haeundae")

    page = await read(client, "/people/tokens")
    answers = [
        await client.get(f"/people/tokens/{theirs.token.id}"),
        await client.post(f"/people/tokens/{theirs.token.id}/rotate", data={"overlap": 0}),
        await client.post(f"/people/tokens/{theirs.token.id}/revoke"),
        await client.post("/people/tokens", data=asked(web, "gangnam")),
        await client.post("/people/tokens", data=asked(web, "busan")),
    ]

    assert "their report" not in page
    assert "There is no token yet." in page
    assert [one.status_code for one in answers] == [404] * len(answers)
    assert await works(web, theirs.secret)
    assert len(await list_tokens(web)) == 1


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
async def test_who_is_no_administrator_looks_and_changes_nothing(web: Web, role: Role) -> None:
    made = await make(web, "haeundae")
    client = await visitor(web, "busan", role)

    pages = await read(client, "/people/tokens") + await read(client, f"/people/tokens/{made.token.id}")
    answers = [
        await client.post("/people/tokens", data=asked(web)),
        await client.post(f"/people/tokens/{made.token.id}/rotate"),
        await client.post(f"/people/tokens/{made.token.id}/revoke"),
    ]

    assert made.token.start in pages
    assert not re.search(r'action="/people/[^"]+"', pages)
    assert [one.status_code for one in answers] == [403] * len(answers)
    assert await works(web, made.secret)


async def test_a_token_makes_none_that_is_stronger_than_itself(web: Web) -> None:
    narrow = await web.as_("busan", Role.ADMIN, scopes=("people:manage", "jobs:read"), **HTML)

    answers = [
        await narrow.post("/people/tokens", data=asked(web, reach="all")),
        await narrow.post("/people/tokens", data=asked(web, scope=["jobs:write"])),
        await narrow.post("/people/tokens", data=asked(web, scope=["jobs:read"])),
    ]

    assert [one.status_code for one in answers] == [403, 403, 200]


async def test_a_hostile_name_is_only_text(web: Web) -> None:
    made = await make(web, "haeundae", "<script>alert(1)</script>")
    client = await visitor(web)

    for path in ("/people/tokens", f"/people/tokens/{made.token.id}"):
        text = (await client.get(path)).text

        assert "<script>alert" not in text
        assert "&lt;script&gt;" in text
