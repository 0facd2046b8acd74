"""A request sent twice with one key does its thing once."""

import asyncio
import json
from collections import Counter

from pabal.base import clock
from pabal.platform.actor import Role
from pabal.platform.web import idempotency
from tests.support.things import make_things
from tests.support.web import Web

KEY = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"


def unit(web: Web, name: str = "새 지점") -> dict[str, object]:
    return {"parent_id": web.tree.busan.id, "level": "branch", "name": name}


async def count_units(web: Web, name: str) -> int:
    answer = await (await web.as_()).get("/api/v1/units")
    return [one["name"] for one in answer.json()["items"]].count(name)


async def test_the_same_request_is_answered_the_same_and_done_once(web: Web):
    admin = await web.as_()

    first = await admin.post("/api/v1/units", json=unit(web), headers={KEY: "k1"})
    again = await admin.post("/api/v1/units", json=unit(web), headers={KEY: "k1"})

    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert again.headers["Location"] == first.headers["Location"]
    assert (REPLAYED in first.headers, again.headers[REPLAYED]) == (False, "true")
    assert await count_units(web, "새 지점") == 1


async def test_twenty_at_once_with_one_key_do_it_once(web: Web):
    things = await make_things(web.db, web.app.services.files, web.app.services.vault, web.tree.gangnam)
    admin = await web.as_()
    path = f"/api/v1/schedules/{things.schedule}/send-now"

    answers = await asyncio.gather(*(admin.post(path, headers={KEY: "now"}) for _ in range(20)))

    statuses = Counter(answer.status_code for answer in answers)
    assert set(statuses) <= {202, 409}
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} <= {"key_in_progress"}
    done = {answer.json()["id"] for answer in answers if answer.status_code == 202}
    assert len(done) == 1
    ledger = await admin.get(f"/api/v1/schedules/{things.schedule}/occurrences")
    assert len(ledger.json()["items"]) == 2  # the one of make_things, and this


async def test_a_key_with_another_body_is_refused(web: Web):
    admin = await web.as_()
    await admin.post("/api/v1/units", json=unit(web), headers={KEY: "k1"})

    other = await admin.post("/api/v1/units", json=unit(web, "다른 지점"), headers={KEY: "k1"})

    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    assert await count_units(web, "다른 지점") == 0


async def test_what_was_refused_is_not_kept(web: Web):
    admin = await web.as_()
    wrong = {**unit(web), "level": "hq"}

    refused = await admin.post("/api/v1/units", json=wrong, headers={KEY: "k1"})
    again = await admin.post("/api/v1/units", json=wrong, headers={KEY: "k1"})

    assert (refused.status_code, again.status_code) == (422, 422)
    assert REPLAYED not in again.headers


async def test_a_key_is_its_senders_own(web: Web):
    one, other = await web.as_("hq"), await web.as_("busan")

    await one.post("/api/v1/units", json=unit(web, "하나"), headers={KEY: "k1"})
    answer = await other.post("/api/v1/units", json=unit(web, "둘"), headers={KEY: "k1"})

    assert (answer.status_code, answer.json()["name"]) == (201, "둘")


async def test_while_the_first_is_open_the_second_is_told_to_wait(web: Web):
    admin = await web.as_()
    me = (await admin.get("/api/v1/me")).json()["name"]

    async with web.db.transaction() as tx:
        await tx.value(idempotency.SQL.try_lock, principal=me, key="k1")
        waiting = await admin.post("/api/v1/units", json=unit(web), headers={KEY: "k1"})
    after = await admin.post("/api/v1/units", json=unit(web), headers={KEY: "k1"})

    assert (waiting.status_code, waiting.json()["code"]) == (409, "key_in_progress")
    assert waiting.headers["Retry-After"] == "1"
    assert after.status_code == 201


async def test_sending_now_needs_a_key(web: Web):
    things = await make_things(web.db, web.app.services.files, web.app.services.vault, web.tree.gangnam)

    answer = await (await web.as_()).post(f"/api/v1/schedules/{things.schedule}/send-now")

    assert (answer.status_code, answer.json()["code"]) == (400, "key_needed")


async def test_a_key_nobody_can_read_is_refused(web: Web):
    admin = await web.as_()

    keys: list[bytes] = [b"x" * 201, "é".encode()]
    answers = [await admin.post("/api/v1/units", json=unit(web), headers=[(KEY.encode(), key)]) for key in keys]

    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(400, "bad_key")}


async def test_a_secret_in_an_answer_is_kept_sealed(web: Web):
    admin = await web.as_()
    async with web.db.transaction() as tx:
        until = (tx.now.replace(microsecond=0) + idempotency.KEPT).isoformat()
    asked = {"name": "t", "unit_id": web.tree.hq.id, "role": "viewer", "scopes": ["jobs:read"], "expires_at": until}

    made = await admin.post("/api/v1/tokens", json=asked, headers={KEY: "t1"})
    again = await admin.post("/api/v1/tokens", json=asked, headers={KEY: "t1"})

    assert made.status_code == 201
    assert again.json()["secret"] == made.json()["secret"]
    me = (await admin.get("/api/v1/me")).json()["name"]
    async with web.db.transaction() as tx:
        [row] = await tx.rows(idempotency.SQL.find_answer, principal=me, key="t1", since=tx.now - idempotency.KEPT)
    assert made.json()["secret"] not in json.dumps([row["headers"], row["body"]])


async def test_after_a_day_a_key_is_free_again(web: Web):
    admin = await web.as_("hq", Role.ADMIN)
    await admin.post("/api/v1/units", json=unit(web), headers={KEY: "k1"})

    await clock.advance(web.db, idempotency.KEPT)
    other = await admin.post("/api/v1/units", json=unit(web, "다음 날"), headers={KEY: "k1"})

    assert (other.status_code, REPLAYED in other.headers) == (201, False)


async def test_housekeeping_drops_what_is_past_its_day(web: Web):
    admin = await web.as_()
    await admin.post("/api/v1/units", json=unit(web), headers={KEY: "k1"})

    await idempotency.forget_once(web.db)
    replayed = await admin.post("/api/v1/units", json=unit(web), headers={KEY: "k1"})
    await clock.advance(web.db, idempotency.KEPT)
    await idempotency.forget_once(web.db)
    anew = await admin.post("/api/v1/units", json=unit(web), headers={KEY: "k1"})

    assert (replayed.status_code, replayed.headers["Idempotent-Replayed"]) == (201, "true")
    # done anew: the unit of this name is there already
    assert (anew.status_code, anew.json()["code"]) == (422, "bad_name")
