"""Settings, servers, shared lanes, backups, channels, notifications and health through the API."""

import pytest

from pabal.engine import queue, widths
from pabal.engine.queue import NewJob
from pabal.platform.actor import Role
from tests.support.things import make_things
from tests.support.web import Web

# the server that answers is one of those it tells about
beats = pytest.mark.parametrize("web_has_loops", [True])


async def test_a_setting_is_changed_and_set_back(web: Web):
    admin = await web.as_()
    path = "/api/v1/settings/notifications.keep"

    changed = await admin.put(path, json={"value": "30d"})
    odd = await admin.put(path, json={"value": "soon"})
    reset = await admin.delete(path)

    assert (changed.json()["value"], changed.json()["default"], changed.json()["version"]) == ("30d", "90d", 1)
    assert (odd.status_code, odd.json()["code"]) == (422, "setting_unreadable")
    assert (reset.json()["value"], reset.json()["is_changed"]) == ("90d", False)


async def test_a_branch_changes_no_setting_of_the_house(web: Web):
    answer = await (await web.as_("gangnam")).put("/api/v1/settings/notifications.keep", json={"value": "30d"})

    assert (answer.status_code, answer.json()["code"]) == (403, "head_office_only")


@beats
async def test_a_server_is_drained_and_takes_work_again(web: Web):
    admin = await web.as_()
    [server] = (await admin.get("/api/v1/servers")).json()["items"]

    drained = await admin.post(f"/api/v1/servers/{server['id']}/drain")
    back = await admin.post(f"/api/v1/servers/{server['id']}/undrain")

    assert (drained.status_code, drained.json()["state"]) == (202, "drained")
    assert back.json()["state"] == "ok"
    assert (await (await web.as_("gangnam")).get("/api/v1/servers")).json()["items"] == []


async def test_a_shared_lane_is_made_narrower_and_set_back(web: Web):
    await widths.declare_all(web.db, {"licence": 2})
    async with web.db.transaction() as tx:
        made = await queue.enqueue_many(tx, [NewJob("test.nobody", lane="licence:ae")] * 3)
    admin, path = await web.as_(), "/api/v1/lanes/licence:ae"

    shown = (await admin.get(path)).json()
    narrow = (await admin.put(path, json={"width": 1})).json()
    listed = (await admin.get("/api/v1/lanes")).json()["items"]
    reset = (await admin.delete(path)).json()
    entries = (await admin.get("/api/v1/audit", params={"action": "jobs.resize_lane"})).json()["items"]

    assert (shown["width"], shown["declared"], shown["held_by"]) == (2, None, [str(one) for one in made[:2]])
    assert (narrow["width"], narrow["chosen"], narrow["held_by"], narrow["waiting"]) == (1, 1, [str(made[0])], 2)
    assert [(one["name"], one["width"]) for one in listed] == [("licence", 2), ("licence:ae", 1)]
    assert (reset["width"], reset["chosen"]) == (2, None)
    assert [(one["about"], one["after"]) for one in entries] == [("lane:licence:ae", {"width": n}) for n in (2, 1)]


async def test_an_ordered_lane_is_none_of_those_and_lanes_belong_to_the_house(web: Web):
    await widths.declare_all(web.db, {"licence": 2})
    admin, branch = await web.as_(), await web.as_("gangnam")

    ordered = await admin.put("/api/v1/lanes/bot:busan1", json={"width": 2})
    too_wide = await admin.put("/api/v1/lanes/licence", json={"width": 1001})
    hidden = await branch.get("/api/v1/lanes/licence")

    assert (ordered.status_code, ordered.json()["code"]) == (404, "lane_not_found")
    assert too_wide.status_code == 422
    assert (hidden.status_code, (await branch.get("/api/v1/lanes")).json()["items"]) == (404, [])


async def test_a_backup_is_work_one_can_follow(web: Web):
    admin = await web.as_()

    first, second = await admin.post("/api/v1/backups"), await admin.post("/api/v1/backups")
    job = await admin.get(first.headers["Location"])

    assert (first.status_code, first.json()["is_new"], second.json()["is_new"]) == (202, True, False)
    assert (job.json()["kind"], second.json()["job"]) == ("backup.take", first.json()["job"])


async def test_a_channel_is_changed_in_part_and_never_shows_its_token(web: Web):
    things = await make_things(web.db, web.app.services.files, web.app.services.vault, web.tree.gangnam)
    admin = await web.as_("gangnam")
    path = f"/api/v1/channels/{things.channel}"

    changed = await admin.patch(path, json={"least_level": "failure"})
    tested = await admin.post(f"{path}/test")
    deliveries = (await admin.get(tested.headers["Location"])).json()["items"]
    odd = await admin.patch(path, json={"chat_id": "??"})

    assert changed.json()["least_level"] == "failure"
    assert (changed.json()["chat_id"], changed.json()["token_tail"]) == ("-100123", "K-bc")
    assert "AAEhBOweik6ad9r" not in changed.text
    # one of them came with the things
    assert [one["is_test"] for one in deliveries] == [True, True]
    assert (odd.status_code, odd.json()["code"]) == (422, "bad_channel")


async def test_what_one_has_read_is_no_longer_counted(web: Web):
    things = await make_things(web.db, web.app.services.files, web.app.services.vault, web.tree.gangnam)
    viewer = await web.as_("gangnam", Role.VIEWER)

    before = (await viewer.get("/api/v1/notifications/unread")).json()
    marked = await viewer.post("/api/v1/notifications/read", json={"upto": things.notification})
    after = (await viewer.get("/api/v1/notifications/unread")).json()

    assert (before, marked.status_code, after) == ({"unread": 1}, 204, {"unread": 0})


@beats
async def test_health_of_the_house_is_the_houses(web: Web):
    whole = (await (await web.as_()).get("/api/v1/health")).json()
    part = (await (await web.as_("gangnam")).get("/api/v1/health")).json()

    assert (whole["servers"], whole["jobs"]["running"]) == ({"ok": 1}, 0)
    assert (part["servers"], part["jobs"]) == (None, None)
