"""One cannot starve the others: requests, streams and database connections of one person, token or address."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from pabal.base.database import Database
from pabal.platform.actor import Role
from pabal.platform.web.turns import Shares, Turns
from tests.support.servers import until
from tests.support.web import Web
from tests.support.wire import connected

FORM = "Content-Type: application/x-www-form-urlencoded"
JOBS = "/api/v1/jobs"
EVENTS = "/api/v1/events"


@asynccontextmanager
async def locked(db: Database, table: str) -> AsyncIterator[None]:
    """As a migration by hand that somebody forgot to end."""
    async with db.transaction() as tx:
        await tx.script("set local idle_in_transaction_session_timeout = 0")
        await tx.script(f"lock table {table} in access exclusive mode")
        yield


async def test_streams_of_one_leave_room_for_others(web: Web):
    web.site.state.turns = Turns(Shares(streams=2))
    viewer, head_office = await web.as_("gangnam", Role.VIEWER), await web.as_("hq")
    async with AsyncExitStack() as stack:
        for _ in range(2):
            await stack.enter_async_context(viewer.stream("GET", EVENTS))
        # one that were let in would not end by itself
        async with asyncio.timeout(30):
            refused = await viewer.get(EVENTS)
        other = await stack.enter_async_context(head_office.stream("GET", EVENTS))

        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_own_streams")
        assert refused.headers["Retry-After"] == "5"
        assert other.status_code == 200
    await until(lambda: not web.site.state.turns._running)

    async with viewer.stream("GET", EVENTS) as again:
        assert again.status_code == 200


async def test_streams_do_not_count_as_requests(web: Web):
    web.site.state.turns = Turns(Shares(requests=1))
    viewer = await web.as_("gangnam", Role.VIEWER)

    async with viewer.stream("GET", EVENTS), viewer.stream("GET", EVENTS):
        assert (await viewer.get(JOBS)).status_code == 200


async def test_requests_of_one_at_once_are_limited_by_person(web: Web):
    turns = web.site.state.turns = Turns(Shares(requests=3))
    viewer, other = await web.as_("gangnam", Role.VIEWER, by="session"), await web.as_("gangnam", Role.VIEWER)
    person = await web.person("gangnam", Role.VIEWER)
    async with locked(web.db, "pabal.work"):
        stuck = [asyncio.create_task(viewer.get(JOBS)) for _ in range(3)]
        await until(lambda: turns.running(f"user:{person.id}") == 3)
        refused, answered = await viewer.get("/api/v1/me"), await other.get("/api/v1/me")
    await asyncio.gather(*stuck)

    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_at_once")
    assert refused.headers["Retry-After"] == "1"
    assert answered.status_code == 200
    await until(lambda: not turns._running)


async def test_guests_of_one_address_are_limited_together(web: Web):
    web.site.state.turns = Turns(Shares(guests=0, refusal_wait=0))
    anybody = await web.anybody()

    refused, alive = await anybody.get("/sign-in"), await anybody.get("/livez")

    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_at_once")
    assert alive.status_code == 200


async def test_whoever_is_known_is_not_held_up_by_strangers_who_keep_their_address_busy(web: Web):
    """An office, or a proxy that is not trusted: as many sign-ins that never end as one address may have."""
    turns = web.site.state.turns = Turns(Shares(guests=3, refusal_wait=0))
    viewer, anybody = await web.as_("gangnam", Role.VIEWER), await web.anybody()
    person = await web.as_("gangnam", Role.VIEWER, by="session")
    false_keys = ({"Cookie": "pabal_session=nobody"}, {"Authorization": "Bearer pbl_nobody"})
    async with AsyncExitStack() as stack:
        for _ in range(3):
            wire = await stack.enter_async_context(connected(web.url))
            await wire.request("POST /sign-in", FORM, "Content-Length: 100", body=b"login=")
        await until(lambda: turns.running("address 127.0.0.1") == 3)
        known = [await viewer.get("/api/v1/me"), await person.get("/api/v1/me")]
        strangers = [await anybody.get("/sign-in", headers=one) for one in ({}, *false_keys)]

    assert [one.status_code for one in known] == [200, 200]
    assert [(one.status_code, one.json()["code"]) for one in strangers] == [(429, "too_many_at_once")] * 3
    await until(lambda: not turns._running)


async def test_false_keys_are_looked_at_only_so_many_at_once(web: Web):
    web.site.state.turns = Turns(Shares(guests=0, refusal_wait=0))

    refused = await (await web.as_("gangnam", Role.VIEWER)).get("/api/v1/me")

    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_at_once")


async def test_strangers_of_one_address_ask_only_so_often_and_whoever_is_known_is_not_held_up(web: Web):
    web.site.state.turns = Turns(Shares(guest_burst=3, guest_seconds=3600, refusal_wait=0))
    anybody, viewer = await web.anybody(), await web.as_("gangnam", Role.VIEWER)

    known = [(await viewer.get("/api/v1/me")).status_code for _ in range(5)]
    asked = [await anybody.get("/sign-in") for _ in range(4)]
    false_key = await anybody.get("/sign-in", headers={"Cookie": "pabal_session=nobody"})
    after = await viewer.get("/api/v1/me")
    alive = await anybody.get("/livez")

    assert known == [200] * 5
    assert [one.status_code for one in asked] == [200, 200, 200, 429]
    assert asked[-1].json()["code"] == "slow_down"
    # a third of the hour, less what has passed since
    assert 900 < int(asked[-1].headers["Retry-After"]) <= 1200
    assert (false_key.status_code, after.status_code, alive.status_code) == (429, 200, 200)


async def test_strangers_who_ask_too_often_wait_for_the_answer_and_keep_nobody_busy(web: Web):
    """Told at once, they would ask again at once."""
    turns = web.site.state.turns = Turns(Shares(guest_burst=1, guest_seconds=3600, refusal_wait=3600))
    anybody, viewer = await web.anybody(), await web.as_("gangnam", Role.VIEWER)

    await anybody.get("/sign-in")
    asks = asyncio.create_task(anybody.get("/sign-in"))
    known = [(await viewer.get("/api/v1/me")).status_code for _ in range(20)]

    assert known == [200] * 20
    assert not asks.done()
    await until(lambda: not turns._running)
    asks.cancel()


async def test_an_upload_of_a_stranger_counts_as_ten_requests_and_that_of_somebody_known_as_none(web: Web):
    web.site.state.turns = Turns(Shares(guest_burst=29, guest_seconds=3600, refusal_wait=0))
    anybody, operator = await web.anybody(), await web.as_("gangnam", Role.OPERATOR)
    file = {"file": ("a.txt", b"x", "text/plain")}

    known = [(await operator.post("/api/v1/files?kind=any", files=file)).status_code for _ in range(3)]
    asked = [(await anybody.post("/sign-in", files=file)).status_code for _ in range(3)]

    assert known == [201] * 3
    assert asked == [415, 415, 429]
    assert [(await anybody.get("/sign-in")).status_code for _ in range(10)] == [200] * 9 + [429]


async def test_files_of_the_console_count_less(web: Web):
    web.site.state.turns = Turns(Shares(guest_burst=1, guest_seconds=3600, refusal_wait=0))
    anybody = await web.anybody()

    statuses = [(await anybody.get("/static/nothing.css")).status_code for _ in range(11)]

    assert statuses == [404] * 10 + [429]


async def test_a_locked_table_stops_neither_others_nor_the_sign_in(web: Web):
    """Twelve requests of one viewer on a table that is locked: all of ten connections were theirs."""
    viewer, head_office = await web.as_("gangnam", Role.VIEWER), await web.as_("hq")
    async with locked(web.db, "pabal.work"):
        stuck = [asyncio.create_task(viewer.get(JOBS)) for _ in range(12)]
        await until(lambda: in_use(web.app.services.pages) >= web.site.state.turns.shares.connections)
        other = await head_office.get("/api/v1/me")
        listed = await head_office.get("/api/v1/alerts")
        page = await (await web.anybody()).get("/sign-in")

        assert (other.status_code, listed.status_code, page.status_code) == (200, 200, 200)
        assert not any(task.done() for task in stuck)
    answers = await asyncio.gather(*stuck)
    assert {answer.status_code for answer in answers} <= {200, 503}


async def test_whoever_uses_up_their_share_is_told_to_wait(web: Web):
    web.site.state.turns = Turns(Shares(connections=1, wait=0.05))
    viewer = await web.as_("gangnam", Role.VIEWER)
    async with locked(web.db, "pabal.work"):
        stuck = asyncio.create_task(viewer.get(JOBS))
        await until(lambda: in_use(web.app.services.pages))
        refused = await viewer.get(JOBS)

        assert (refused.status_code, refused.json()["code"]) == (503, "pool_busy")
        assert refused.headers["Retry-After"] == "5"
    await stuck


async def test_identity_has_connections_of_its_own(web: Web):
    """Somebody uses up those for pages altogether; who is asking is still found out, and changes are made."""
    web.site.state.turns = Turns(Shares(connections=1, wait=0.05))
    pages = web.app.services.pages
    client = await web.as_("hq")
    new = {"parent_id": web.tree.busan.id, "level": "branch", "name": "서면점"}
    async with AsyncExitStack() as stack:
        for _ in range(pages.sizes[1]):
            await stack.enter_async_context(pages.transaction())
        me = await client.get("/api/v1/me")
        made = await client.post("/api/v1/units", json=new)

    assert (me.status_code, made.status_code) == (200, 201)


async def test_what_others_hold_too_long_is_503_for_pages_and_changes(web: Web):
    client = await web.as_("hq")
    for pool in (web.app.services.pages, web.app.services.changes):
        await set_for_session(pool, "lock_timeout = '20ms'")
    new = {"parent_id": web.tree.busan.id, "level": "branch", "name": "서면점"}
    async with locked(web.db, "pabal.work"):
        listed = await client.get(JOBS)
    async with locked(web.db, "pabal.audit"):
        made = await client.post("/api/v1/units", json=new)

    assert (listed.status_code, listed.json()["code"]) == (503, "lock_too_slow")
    assert (made.status_code, made.json()["code"], made.headers["Retry-After"]) == (503, "lock_too_slow", "5")


async def test_what_takes_too_long_is_stopped_and_says_so(web: Web):
    viewer = await web.as_("gangnam", Role.VIEWER, **{"Accept": "text/html", "Accept-Language": "ko"})
    await set_for_session(web.app.services.pages, "lock_timeout = 0; set statement_timeout = '20ms'")
    async with locked(web.db, "pabal.work"):
        page = await viewer.get("/jobs")

    assert page.status_code == 503
    assert "너무 오래 걸려 멈췄습니다" in page.text


async def set_for_session(pool: Database, setting: str) -> None:
    """For the one connection this pool has opened so far, which it gives out first."""
    async with pool.transaction() as tx:
        await tx.script(f"set {setting}")


def in_use(pool: Database) -> int:
    return pool._pool.get_size() - pool._pool.get_idle_size()


async def test_a_request_that_has_a_connection_gets_a_second_without_waiting():
    turn = Turns(Shares(connections=1)).begin("192.0.2.7")
    async with asyncio.timeout(3), turn.connection(), turn.connection():
        pass
