"""Machines and alerts through the API."""

from datetime import timedelta

from pabal.platform.actor import Role
from tests.support.things import make_things
from tests.support.web import Web


async def test_a_machine_shows_its_diagram_and_its_subjects(web: Web):
    things = await make_things(web.db, web.app.services.files, web.app.services.vault, web.tree.gangnam)
    viewer = await web.as_("gangnam", Role.VIEWER)

    machine = (await viewer.get("/api/v1/machines/alert")).json()
    [subject] = (await viewer.get("/api/v1/machines/alert/subjects?state=firing")).json()["items"]
    unknown = await viewer.get("/api/v1/machines/alert/subjects?state=odd")

    assert machine["diagram"].startswith("stateDiagram-v2")
    assert machine["counts"]["firing"] == 1
    assert (subject["id"], subject["state"], subject["version"]) == (str(things.alert_number), "firing", 1)
    assert unknown.json()["code"] == "bad_subject_state"


async def test_an_event_is_explained_tried_and_sent(web: Web):
    things = await make_things(web.db, web.app.services.files, web.app.services.vault, web.tree.gangnam)
    operator = await web.as_("gangnam", Role.OPERATOR)
    path = f"/api/v1/machines/alert/subjects/{things.alert_number}"
    tag = (await operator.get(path)).headers["ETag"]
    event = {"event": "acknowledge", "reason": "on it"}

    allowed = (await operator.get(f"{path}/allowed-events")).json()["items"]
    dry = await operator.post(f"{path}/events?dry_run=true", json=event)
    sent = await operator.post(f"{path}/events", json=event, headers={"If-Match": tag})
    late = await operator.post(f"{path}/events", json={"event": "acknowledge"}, headers={"If-Match": tag})
    history = (await operator.get(f"{path}/history")).json()["items"]

    assert {one["event"]: one["allowed"] for one in allowed}["acknowledge"] is True
    assert (dry.json()["effect"]["target"], dry.json()["transition"]) == ("acknowledged", None)
    assert sent.json()["transition"]["target"] == "acknowledged"
    assert late.status_code == 412
    assert [one["event"] for one in history] == ["acknowledge", "begin"]
    assert history[0]["reason"] == "on it"


async def test_an_alert_is_acknowledged_silenced_and_heard_again(web: Web):
    things = await make_things(web.db, web.app.services.files, web.app.services.vault, web.tree.gangnam)
    operator = await web.as_("gangnam", Role.OPERATOR)
    path = f"/api/v1/alerts/{things.alert}"
    async with web.db.transaction() as tx:
        until = (tx.now + timedelta(hours=1)).isoformat()

    acknowledged = await operator.post(f"{path}/acknowledge", json={"note": "on it"})
    silenced = await operator.post(f"{path}/silence", json={"until": until})
    heard = await operator.post(f"{path}/unsilence", json={})
    listed = (await operator.get("/api/v1/alerts?open=true")).json()["items"]

    assert [one.json()["state"] for one in (acknowledged, silenced)] == ["acknowledged", "silenced"]
    assert heard.status_code == 200
    assert [one["id"] for one in listed] == [things.alert]
    assert listed[0]["label"] == "Work is stuck"
