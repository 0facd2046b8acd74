"""Bots and devices: decided by administrators, used by who shares a room; a secret goes in and never comes out."""

from dataclasses import replace

from pabal.apps.messaging.model.bots import network_of
from pabal.apps.messaging.store import connected
from pabal.apps.messaging.store.connected import Caller
from pabal.apps.messaging.store.schedules import show_bot_states
from pabal.platform.actor import Role
from tests.apps.messaging.api.house import V1, House
from tests.apps.messaging.history import add_server
from tests.support.messaging import add_bot, add_room, connect_two

SECRET = "a secret of the phone"


async def test_a_bot_is_edited_excluded_and_included(house: House):
    admin, operator = await house.web.as_("haeundae"), await house.web.as_("haeundae", Role.OPERATOR)
    path = f"{V1}/bots/{house.bot_id}"

    shown = (await operator.get(path)).json()
    listed = (await operator.get(f"{V1}/bots?q=busan&room={house.room_id}")).json()["items"]
    edited = await admin.patch(path, json={"image_mode": "group"})
    out = await admin.post(f"{path}/exclude", json={"reason": "수리 중"})
    twice = await admin.post(f"{path}/exclude", json={"reason": "수리 중"})
    back = await admin.post(f"{path}/include")
    may_not = await operator.post(f"{path}/exclude", json={"reason": "x"})

    assert (shown["state"], shown["waiting"], shown["server"]) == ("offline", 0, None)
    assert listed == [shown]
    assert (edited.json()["image_mode"], edited.json()["unit_id"]) == ("group", house.web.tree.haeundae.id)
    assert (out.json()["state"], out.json()["excluded_reason"]) == ("excluded", "수리 중")
    assert (twice.status_code, twice.json()["code"], may_not.status_code) == (409, "bot_excluded", 403)
    assert (back.json()["state"], back.json()["excluded_at"]) == ("offline", None)


async def test_a_secret_is_set_and_removed_and_never_shown(house: House):
    admin = await house.web.as_("haeundae")
    path = f"{V1}/bots/{house.bot_id}"

    put = await admin.put(f"{path}/secret", json={"secret": SECRET, "salt": "a pinch of salt"})
    shown = await admin.get(path)
    audited = await admin.get("/api/v1/audit")
    short = await admin.put(f"{path}/secret", json={"secret": "short"})
    unread = await admin.put(f"{path}/secret", json={"secret": {"deep": SECRET}})
    removed = await admin.delete(f"{path}/secret")

    assert (put.status_code, put.content, shown.json()["has_secret"]) == (204, b"", True)
    assert (short.status_code, unread.status_code, removed.status_code) == (422, 422, 204)
    assert "messaging.bot_set_secret" in audited.text
    assert [SECRET in one.text for one in (put, shown, audited, short, unread)] == [False] * 5
    assert (await admin.get(path)).json()["has_secret"] is False


async def test_a_device_is_decided_about(house: House):
    admin = await house.web.as_("haeundae")
    _, device_id = await add_bot(house.web.db, house.web.tree.haeundae, "busan2", state="pending")
    path = f"{V1}/devices/{device_id}"

    waiting = (await admin.get(f"{V1}/devices")).json()["items"]
    states = [
        (await admin.post(f"{path}/{verb}")).json()["state"]
        for verb in ("deny", "approve", "revoke", "block", "unblock", "approve")
    ]
    not_now = await admin.post(f"{path}/unblock")
    shown = (await admin.get(path)).json()

    assert [one["id"] for one in waiting] == [device_id]
    assert states == ["denied", "approved", "revoked", "blocked", "pending", "approved"]
    assert (not_now.status_code, not_now.json()["code"]) == (409, "move_not_allowed")
    assert (shown["state"], shown["decided_by"][:6]) == ("approved", "token:")


async def test_a_phone_in_reserve_is_given_the_bot(house: House):
    admin = await house.web.as_("haeundae")
    _, spare, sender = await connect_two(house.web.db, house.web.tree.haeundae, "busan3")
    _, away = await add_bot(house.web.db, house.web.tree.haeundae, "busan4")

    roles = [(await admin.get(f"{V1}/devices/{one}")).json()["role"] for one in (spare, sender, away)]
    given = await admin.post(f"{V1}/devices/{spare}/choose")
    refused = await admin.post(f"{V1}/devices/{away}/choose")

    assert roles == ["reserve", "sends", None]
    assert (given.status_code, given.json()["id"]) == (200, spare)
    assert (refused.status_code, refused.json()["code"]) == (409, "device_not_ready")


async def test_who_shares_a_room_uses_a_bot_without_seeing_its_devices(house: House):
    shared, _ = await add_bot(house.web.db, house.web.tree.seoul, "seoul1")
    await add_room(house.web.db, house.web.tree.haeundae, "555", "같이 쓰는 방", bots=[shared])
    branch = await house.web.as_("haeundae")

    shown = await branch.get(f"{V1}/bots/{shared}")
    changes = [
        await branch.patch(f"{V1}/bots/{shared}", json={"image_mode": "group"}),
        await branch.post(f"{V1}/bots/{shared}/exclude", json={"reason": "x"}),
        await branch.put(f"{V1}/bots/{shared}/secret", json={"secret": SECRET}),
    ]

    assert (shown.json()["name"], shown.json()["devices"]) == ("seoul1", [])
    assert [one.status_code for one in changes] == [404, 404, 404]


async def test_the_id_of_a_device_is_shown_to_administrators_only(house: House):
    _, device_id = await add_bot(house.web.db, house.web.tree.haeundae, "busan2", state="pending")
    admin = await house.web.as_("haeundae")
    others = [await house.web.as_("haeundae", role) for role in (Role.OPERATOR, Role.VIEWER)]
    await admin.post(f"{V1}/devices/{device_id}/approve")
    await admin.post(f"{V1}/devices/{device_id}/revoke")
    paths = [
        f"{V1}/bots",
        f"{V1}/bots/{house.bot_id}",
        f"{V1}/devices?state=revoked",
        f"{V1}/devices/{device_id}",
        "/api/v1/audit",
        "/api/v1/facts",
        f"/api/v1/machines/bot_device/subjects/{device_id}",
    ]

    shown = [(await admin.get(path)).text for path in paths]
    answers = [await other.get(path) for other in others for path in paths]

    assert ["device of busan" in one for one in shown] == [True] * 4 + [False] * 3
    assert [one.text for one in answers if "device of busan" in one.text] == []
    assert {one.status_code for one in answers} <= {200, 403, 404}
    assert answers[3].json()["device_id"] is None
    assert (await others[0].get(f"{V1}/bots?q=busan1")).json()["items"][0]["devices"][0]["device_id"] is None


async def test_a_new_network_is_approved_or_denied_by_the_same_verbs(house: House):
    admin = await house.web.as_("haeundae")
    bot_id, device_id = await add_bot(house.web.db, house.web.tree.haeundae, "busan2")
    path = f"{V1}/devices/{device_id}"
    answers = []
    for verb, address in (("approve", "203.0.113.9:4711"), ("deny", "198.51.100.1:4711")):
        async with house.web.db.transaction() as tx:
            caller = Caller("busan2", "device of busan2", "3.3.3", "", "", "10.0.0.7:1", network_of("10.0.0.7"))
            await connected.register(tx, caller, worker=None, asks_at_new=True)
            caller = replace(caller, address=address, network=network_of(address))
            assert (await connected.register(tx, caller, worker=None, asks_at_new=True)).is_asking
        waiting = (await admin.get(f"{V1}/devices")).json()["items"]
        assert [(one["id"], one["state"], one["asks_from"]) for one in waiting] == [(device_id, "approved", address)]
        answers.append((await admin.post(f"{path}/{verb}")).json())

    assert [one["networks"] for one in answers] == [["10.0.0.0/24", "203.0.113.0/24"]] * 2
    assert [(one["state"], one["asks_from"]) for one in answers] == [("approved", None)] * 2
    assert (await admin.get(f"{V1}/devices")).json()["items"] == []
    assert bot_id


async def test_a_connected_phone_that_waits_for_approval_is_not_called_offline(house: House):
    web = house.web
    admin = await web.as_("haeundae", Role.ADMIN)
    bot_id, device_id = await add_bot(web.db, web.tree.haeundae, "busan9", state="pending")
    away = (await admin.get(f"{V1}/bots/{bot_id}")).json()["state"]

    worker = await add_server(web.db)
    async with web.db.transaction() as tx:
        await connected.update_moved(tx, [device_id], worker=worker)
        [listed] = (await show_bot_states(tx, [bot_id])).values()

    assert (away, (await admin.get(f"{V1}/bots/{bot_id}")).json()["state"], listed) == ("offline", "waiting", "waiting")
