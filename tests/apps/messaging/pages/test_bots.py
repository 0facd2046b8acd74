"""Bots in the console: where each is connected, which device is one, what its server carries, and who decides."""

import re
from datetime import timedelta
from typing import Any

import httpx2
import pytest

from pabal.apps.messaging.model.bots import Device, network_of, route_of
from pabal.apps.messaging.store import bots, connected
from pabal.apps.messaging.store.connected import Caller
from pabal.engine import routes
from pabal.engine.queue import NewJob, enqueue_many
from pabal.platform.actor import Role
from pabal.platform.tenants import Scope
from tests.apps.messaging.history import add_parts, add_server
from tests.apps.messaging.pages.house import BRANCH, House, build
from tests.apps.messaging.pages.logged import one, schedule
from tests.support.botline import send_now
from tests.support.messaging import SEOUL, add_bot, add_room, connect_two, sign_wrongly
from tests.support.pages import read, visitor
from tests.support.web import Web


async def post(client: httpx2.AsyncClient, path: str, **data: Any) -> int:
    return (await client.post(path, data=data)).status_code


async def state_of(house: House, device_id: int) -> str:
    async with house.web.db.transaction() as tx:
        return (await bots.get_device(tx, Scope(None, None), device_id)).state


async def device_of(house: House) -> Device:
    async with house.web.db.transaction() as tx:
        [device] = (await bots.get_bot(tx, Scope(None, None), house.bot_id)).devices
    return device


async def test_the_front_page_of_an_empty_house_leads_to_how_a_phone_is_connected(web: Web) -> None:
    client = await visitor(web, lang="ko")

    front = await read(client, "/")
    bots_page = await read(client, "/messages/bots")
    await build(web)
    afterwards = await read(client, "/")

    assert "전화기 연결하기" in front
    assert "pabal sim bot" in front
    assert 'href="/messages/bots#all-bots"' in front
    assert 'id="all-bots"' in bots_page
    assert "서버 목록에 이 주소를 넣고" in bots_page.partition('id="all-bots"')[2]
    assert "전화기 연결하기" not in afterwards
    assert "첫 단계" not in afterwards


@pytest.mark.req("A-202")
async def test_each_server_shows_its_bots_connections_memory_and_cpu_beside_their_limits(web: Web) -> None:
    house = await build(web)
    worker = await add_server(web.db, port=1490, memory_mb=412.0, cpu_percent=18.0)
    await add_server(web.db, port=1491, memory_mb=1100.0, cpu_percent=18.0)
    async with web.db.transaction() as tx:
        await routes.hold_route(tx, "bot:busan1", worker=worker)

    page = await read(await visitor(web), "/messages/bots")
    branch = await read(await visitor(web, BRANCH), "/messages/bots")

    for said in ("bots 2 / 100", "connections 3", "memory 412 / 1,024 MB", "CPU 18 / 80%"):
        assert said in page
    assert page.count("takes no more") == 1
    assert "gw-1:1490" in page
    assert 'data-state="online"' in page
    # servers are the house's
    assert "memory" not in branch
    assert "busan1" in branch
    assert house.bot_id


async def test_a_device_is_decided_about_by_an_administrator_of_its_unit(web: Web) -> None:
    house = await build(web)
    _, device = await add_bot(web.db, web.tree.haeundae, "busan2", state="pending")
    admin, operator = await visitor(web, BRANCH), await visitor(web, BRANCH, Role.OPERATOR)
    stranger = await visitor(web, "gangnam")

    asked = await read(admin, "/messages/bots")
    assert "Devices to approve" in asked
    assert f"/messages/devices/{device}/approve" in asked
    assert f"/messages/devices/{device}/approve" not in await read(operator, "/messages/bots")
    assert await post(operator, f"/messages/devices/{device}/approve") == 403
    assert await post(stranger, f"/messages/devices/{device}/approve") == 404
    assert await post(admin, f"/messages/devices/{device}/nonsense") == 404

    seen = []
    for verb in ("approve", "revoke", "block", "unblock", "deny"):
        assert await post(admin, f"/messages/devices/{device}/{verb}") == 303
        seen.append(await state_of(house, device))

    assert seen == ["approved", "revoked", "blocked", "pending", "denied"]
    assert await post(admin, f"/messages/devices/{device}/revoke") == 409


async def test_of_two_phones_the_page_says_which_one_sends_and_gives_the_bot_to_the_other(web: Web) -> None:
    bot_id, spare, sender = await connect_two(web.db, web.tree.haeundae, "busan3")
    admin, operator = await visitor(web, BRANCH, lang="ko"), await visitor(web, BRANCH, Role.OPERATOR)

    page = await read(admin, f"/messages/bots/{bot_id}")
    assert (page.count(">예비<"), page.count(">보내는 전화기<")) == (1, 1)
    assert f"/messages/devices/{spare}/choose" in page
    assert f"/messages/devices/{sender}/choose" not in page
    assert f"/messages/devices/{spare}/choose" not in await read(operator, f"/messages/bots/{bot_id}")
    assert await post(operator, f"/messages/devices/{spare}/choose") == 403
    assert await post(admin, f"/messages/devices/{spare}/choose") == 303


async def test_a_wrong_secret_is_called_that_and_not_away(web: Web) -> None:
    bot_id = await sign_wrongly(web.db, web.tree.haeundae, "busan3")
    admin = await visitor(web, BRANCH)

    page = await read(admin, f"/messages/bots/{bot_id}")
    listed = await read(admin, "/messages/bots")

    assert "The phone is connected, but its secret is wrong" in page
    assert "does not sign with its secret" in page
    assert 'data-state="wrong_secret"' in page
    assert 'data-state="wrong_secret"' in listed


async def test_sends_that_wait_for_a_phone_that_does_not_sign_are_not_said_to_wait_for_one_that_is_away(
    web: Web,
) -> None:
    house = await build(web)
    bot_id = await sign_wrongly(web.db, web.tree.haeundae, "busan3")
    room_id = await add_room(web.db, web.tree.haeundae, "18200044", "단골방", bots=[bot_id])
    away = await schedule(house)
    unsigned = await schedule(house, room_id=room_id, bot_id=bot_id)
    for waiting in (away, unsigned):
        await send_now(web.db, waiting.id)

    page = await read(await visitor(web, BRANCH), "/messages/bots")

    trouble = page.partition('id="trouble"')[2].partition('id="pending"')[0]
    assert "Bot ‘busan1’ is away" in trouble
    assert "The phone of bot ‘busan3’ does not sign with its secret" in trouble
    assert "Bot ‘busan3’ is away" not in trouble


async def test_each_bot_shows_how_many_wait_for_it_and_until_when_about(web: Web) -> None:
    house = await build(web)
    worker = await add_server(web.db)
    await add_parts(web.db, await one(house, await schedule(house), "sent", took_ms=600_000), "written")
    async with web.db.transaction() as tx:
        await routes.hold_route(tx, route_of("busan1"), worker=worker)
        await enqueue_many(tx, [NewJob("test.bot", route=route_of("busan1")) for _ in range(3)])
        through = (tx.now + timedelta(minutes=30)).astimezone(SEOUL)

    page = await read(await visitor(web, BRANCH), "/messages/bots")

    row = page.partition(f'<tr id="bot-{house.bot_id}">')[2].partition("</tr>")[0]
    waiting = re.sub(r"<[^>]+>", " ", row.partition('data-label="Waiting">')[2].partition("</td>")[0]).split()
    assert waiting[:3] == ["3", "until", "about"]
    assert f"{through:%H:%M}" in waiting


async def test_a_bot_is_excluded_with_a_reason_and_included_again(web: Web) -> None:
    house = await build(web)
    admin = await visitor(web, BRANCH)
    path = f"/messages/bots/{house.bot_id}"

    assert await post(admin, f"{path}/exclude", reason="") == 422
    assert await post(admin, f"{path}/exclude", reason="전화기 <수리>") == 303
    excluded = (await admin.get(path)).text
    listed = await read(admin, "/messages/bots")
    assert await post(admin, f"{path}/include") == 303

    assert "전화기 &lt;수리&gt;" in excluded
    assert 'data-state="excluded"' in listed
    assert 'data-state="excluded"' not in await read(admin, path)


async def test_a_secret_goes_in_and_is_never_shown(web: Web) -> None:
    house = await build(web)
    admin = await visitor(web, BRANCH)
    path = f"/messages/bots/{house.bot_id}"

    assert await post(admin, f"{path}/secret", secret="short") == 422
    assert await post(admin, f"{path}/secret", secret="sesame open 2026", salt="pepper-42") == 303
    page = await read(admin, path)

    assert "sesame" not in page
    assert "pepper-42" not in page
    assert "devices must sign" in page
    assert "Replace the secret" in page
    async with web.db.transaction() as tx:
        bot = await bots.get_bot(tx, Scope(None, None), house.bot_id)
    assert bot.has_secret


async def test_how_images_are_handed_over_and_whose_the_bot_is_can_be_changed(web: Web) -> None:
    house = await build(web)
    hq = await visitor(web)
    path = f"/messages/bots/{house.bot_id}"

    assert await post(hq, path, image_mode="group", unit_id=str(web.tree.busan.id)) == 303

    page = await read(hq, path)
    assert "as a group" in page
    assert "부산총판" in page
    await read(await visitor(web, "gangnam"), path, 404)


async def test_another_organisations_bot_in_ones_room_is_seen_but_neither_its_devices_nor_a_button(web: Web) -> None:
    house = await build(web)
    await add_room(web.db, web.tree.gangnam, "18200033", "같이 쓰는 방", bots=[house.bot_id])
    guest = await visitor(web, "gangnam")

    page = await read(guest, f"/messages/bots/{house.bot_id}")

    assert "This bot belongs to another organisation." in page
    assert "같이 쓰는 방" in page
    assert "해운대 손님방" not in page
    assert "device of busan1" not in page
    assert "/exclude" not in page
    assert await post(guest, f"/messages/bots/{house.bot_id}/exclude", reason="x") == 404


async def test_a_connected_phone_that_waits_for_approval_is_not_called_not_connected(web: Web) -> None:
    house = await build(web)
    bot_id, device_id = await add_bot(web.db, web.tree.haeundae, "busan9", state="pending")
    client = await visitor(web, BRANCH)

    async def words() -> list[str]:
        row = (await read(client, "/messages/bots")).partition(f'<tr id="bot-{bot_id}">')[2].partition("</td>")[0]
        head = (await read(client, f"/messages/bots/{bot_id}")).partition("<main")[2].partition("</h1>")[2][:2000]
        return [word for word in ("waiting for approval", "not connected") if word in row or word in head]

    away = await words()
    worker = await add_server(web.db)
    async with web.db.transaction() as tx:
        await connected.update_moved(tx, [device_id], worker=worker)
    there = await words()

    assert "not connected" in away
    assert there == ["waiting for approval"]
    assert house.bot_id


async def test_without_a_bot_the_page_says_where_a_phone_connects_and_how_to_try_without_one(web: Web) -> None:
    page = await read(await visitor(web, lang="ko"), "/messages/bots")

    assert "아직 봇이 없습니다." in page
    assert "전화기 스크립트의 서버 목록에 이 주소를 넣고 켜세요." in page
    assert "pabal sim bot --server 127.0.0.1:" in page


async def test_the_id_of_a_device_is_shown_to_administrators_only(web: Web) -> None:
    house = await build(web)
    await add_bot(web.db, web.tree.haeundae, "busan2", state="pending")
    paths = ["/", "/messages/bots", f"/messages/bots/{house.bot_id}", "/audit", "/audit.csv", "/facts"]

    admin = [(await (await visitor(web, BRANCH)).get(path)).text for path in paths]
    pages = []
    for role in (Role.OPERATOR, Role.VIEWER):
        client = await visitor(web, BRANCH, role)
        pages += [(await client.get(path)).text for path in paths]

    assert ["device of busan" in page for page in admin] == [False, True, True, False, False, False]
    assert [page for page in pages if "device of busan" in page] == []
    assert f"device {(await device_of(house)).id}" in pages[2]


async def test_a_bot_without_a_secret_says_what_that_means(web: Web) -> None:
    house = await build(web)
    admin = await visitor(web, BRANCH)
    path = f"/messages/bots/{house.bot_id}"

    without = await read(admin, path)
    assert await post(admin, f"{path}/secret", secret="sesame open 2026") == 303
    with_one = await read(admin, path)

    assert "can pose as the phone" in without
    assert "can pose as the phone" not in with_one


async def test_a_new_network_is_approved_as_it_was_seen(web: Web) -> None:
    house = await build(web)
    admin = await visitor(web, BRANCH)
    async with web.db.transaction() as tx:
        for address in ("10.0.0.7:1", "203.0.113.9:4711"):
            caller = Caller("busan1", "device of busan1", "3.3.3", "", "", address, network_of(address))
            await connected.register(tx, caller, worker=None, asks_at_new=True)
    path = f"/messages/devices/{(await device_of(house)).id}"

    page = await read(admin, "/messages/bots")
    moved = await post(admin, f"{path}/approve", network="198.51.100.0/24")
    approved = await post(admin, f"{path}/approve", network="203.0.113.0/24")

    assert "Called from a new network: 203.0.113.0/24." in page
    assert "Approve this network" in page
    assert (moved, approved) == (409, 303)
    assert "approved in 10.0.0.0/24, 203.0.113.0/24" in await read(admin, f"/messages/bots/{house.bot_id}")
