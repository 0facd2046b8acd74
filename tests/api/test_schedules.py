"""Schedules and occurrences through the API."""

from pabal.platform.actor import Role
from tests.support.things import make_things
from tests.support.web import Web


async def test_a_schedule_is_paused_and_resumed(web: Web):
    things = await make_things(web.db, web.app.services.files, web.app.services.vault, web.tree.gangnam)
    operator = await web.as_("gangnam", Role.OPERATOR)
    path = f"/api/v1/schedules/{things.schedule}"
    before = await operator.get(path)

    dry = await operator.post(f"{path}/pause?dry_run=true")
    paused = await operator.post(f"{path}/pause", headers={"If-Match": before.headers["ETag"]})
    late = await operator.post(f"{path}/resume", headers={"If-Match": before.headers["ETag"]})
    resumed = await operator.post(f"{path}/resume")

    assert before.json()["says"] == "Every day at 09:00 (Asia/Seoul)"
    assert [one.json()["state"] for one in (dry, paused, resumed)] == ["active", "paused", "active"]
    assert (late.status_code, late.json()["code"]) == (412, "version_mismatch")


async def test_what_comes_next_is_shown_skipped_and_kept(web: Web):
    things = await make_things(web.db, web.app.services.files, web.app.services.vault, web.tree.gangnam)
    operator = await web.as_("gangnam", Role.OPERATOR)
    path = f"/api/v1/schedules/{things.schedule}"

    skipped = await operator.post(f"{path}/skip", json={})
    ahead = (await operator.get(f"{path}/next?limit=2")).json()["items"]
    coming = (await operator.get("/api/v1/upcoming?to=2090-01-01T00:00:00Z")).json()
    soon = (await operator.get("/api/v1/upcoming")).json()["items"]
    kept = await operator.post(f"{path}/keep", json={"fire_at": skipped.json()["fire_at"]})

    assert ahead[0] == {"at": skipped.json()["fire_at"], "wall": ahead[0]["wall"], "excluded": "skipped", "note": None}
    assert [one["excluded"] for one in ahead[1:]] == [None, None]
    assert coming["code"] == "bad_parameter"
    assert [(one["id"], one["is_skipped"]) for one in soon] == [(things.schedule, True)]
    assert kept.status_code == 204


async def test_sending_now_makes_one_more_occurrence(web: Web):
    things = await make_things(web.db, web.app.services.files, web.app.services.vault, web.tree.gangnam)
    operator = await web.as_("gangnam", Role.OPERATOR)

    sent = await operator.post(f"/api/v1/schedules/{things.schedule}/send-now", headers={"Idempotency-Key": "a"})
    found = await operator.get(sent.headers["Location"])
    listed = (await operator.get(f"/api/v1/occurrences?schedule={things.schedule}&state=enqueued")).json()["items"]

    assert (sent.status_code, sent.json()["reason"]) == (202, "triggered")
    assert found.json() == sent.json()
    assert [one["id"] for one in listed] == [sent.json()["id"], things.occurrence]
