"""Heartbeats over REST."""

from pabal.platform.actor import Role
from tests.apps.rules.heartbeats.test_actions import look, make
from tests.support.people import person
from tests.support.web import Web

HERE = "/api/v1/rules/heartbeats"


async def test_one_is_made_listed_changed_and_removed(web: Web):
    client = await web.as_("haeundae", Role.OPERATOR)

    made = await client.post(HERE, json={"name": "백업", "cron": "0 3 * * *", "grace_seconds": 900})
    one = made.json()
    listed = (await client.get(HERE, params={"state": "new"})).json()
    changed = await client.patch(f"{HERE}/{one['id']}", json={"every_seconds": 300})
    paused = await client.post(f"{HERE}/{one['id']}/pause", json={"reason": "이사"})
    moved = await client.post(f"{HERE}/{one['id']}/new-address")
    removed = await client.delete(f"{HERE}/{one['id']}")

    assert made.status_code == 201
    assert (one["state"], one["cron"], one["grace_seconds"]) == ("new", "0 3 * * *", 900)
    assert [each["id"] for each in listed["items"]] == [one["id"]]
    assert (changed.json()["cron"], changed.json()["every_seconds"]) == (None, 300)
    assert paused.json()["state"] == "paused"
    assert moved.json()["path"] != one["path"]
    assert removed.status_code == 204
    assert (await client.get(f"{HERE}/{one['id']}")).status_code == 404


async def test_whoever_may_only_look_does_not_learn_the_address(web: Web):
    heartbeat = await make(web.db, person(web.tree.haeundae))

    shown = (await (await web.as_("haeundae", Role.VIEWER)).get(f"{HERE}/{heartbeat.id}")).json()

    assert str(heartbeat.key) not in str(shown)


async def test_another_branch_finds_nothing(web: Web):
    heartbeat = await make(web.db, person(web.tree.haeundae))
    client = await web.as_("gangnam", Role.ADMIN)

    assert (await client.get(f"{HERE}/{heartbeat.id}")).status_code == 404
    assert (await client.post(f"{HERE}/{heartbeat.id}/pause", json={})).status_code == 404
    assert (await look(web.db, heartbeat)).state == "new"


async def test_what_cannot_be_kept_is_refused_with_its_reason(web: Web):
    client = await web.as_("haeundae", Role.OPERATOR)

    neither = await client.post(HERE, json={"name": "백업"})
    nonsense = await client.post(HERE, json={"name": "백업", "cron": "whenever"})

    assert (neither.status_code, neither.json()["code"]) == (422, "bad_heartbeat")
    assert (nonsense.status_code, nonsense.json()["code"]) == (422, "bad_cron")
