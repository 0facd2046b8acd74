"""Through the doors all apps share happens what happens through the app's own: same effects, same audit, same words."""

from pathlib import Path

import pytest

from pabal.apps.adgroups.store.adgroups import load_ad_groups
from pabal.apps.messaging.store.schedules import find_schedule
from pabal.apps.rendering.store import renders
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.engine import queue, schedules, transitions, why, withdrawals
from pabal.platform import audit
from pabal.platform.actor import Role
from pabal.platform.alerts import ALERT
from tests.cli.inside import Inside
from tests.stories.test_doors import furnish
from tests.support.pages import read, visitor
from tests.support.web import SECRET, Web


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    apps = "pabal.apps.messaging,pabal.apps.adgroups,pabal.apps.relay,pabal.apps.rendering,pabal.apps.rules"
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps=apps, secret_key=SECRET)


async def _last_action(web: Web) -> str:
    async with web.db.transaction() as tx:
        return (await audit.list_entries(tx, audit.Wanted()))[0].action


async def test_a_message_schedule_deleted_by_its_machine_leaves_no_timetable(web: Web) -> None:
    names = await furnish(web)
    operator = await web.as_("haeundae", Role.OPERATOR)
    path = f"/api/v1/machines/message_schedule/subjects/{names['message_schedule']}/events"
    timetable = why.read_schedule(names["sch"])

    tried = await operator.post(f"{path}?dry_run=true", json={"event": "delete"})
    async with web.db.transaction() as tx:
        assert await schedules.find(tx, timetable) is not None
    sent = await operator.post(path, json={"event": "delete", "reason": "over"})

    assert (tried.status_code, tried.json()["transition"]) == (200, None)
    assert (sent.json()["transition"]["target"], sent.json()["transition"]["reason"]) == ("deleted", "over")
    async with web.db.transaction() as tx:
        assert await schedules.find(tx, timetable) is None
    assert await _last_action(web) == "messaging.delete_schedule"


async def test_a_device_decided_on_by_its_machine_has_its_decision_in_the_bots_audit(web: Web) -> None:
    names = await furnish(web)
    admin, operator = await web.as_("haeundae"), await web.as_("haeundae", Role.OPERATOR)
    path = f"/api/v1/machines/bot_device/subjects/{names['bot_device']}/events"

    refused = await operator.post(path, json={"event": "block"})
    sent = await admin.post(path, json={"event": "block"})

    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    assert sent.json()["transition"]["target"] == "blocked"
    assert await _last_action(web) == "messaging.device_block"


@pytest.mark.parametrize("door", ["/api/v1/schedules/{sch}/pause", "/schedules/{sch}/pause", "cli"])
async def test_pausing_the_timetable_of_a_message_schedule_makes_it_inactive(
    web: Web, tmp_path: Path, door: str
) -> None:
    names = await furnish(web)
    if door == "cli":
        ran = await Inside(tmp_path, web.db.url)("schedules", "pause", names["sch"])
        assert ran.code == 0, ran.err
    else:
        operator = await web.as_("haeundae", Role.OPERATOR, by="session")
        assert (await operator.post(door.format(**names))).status_code in (200, 303)

    async with web.db.transaction() as tx:
        found = await find_schedule(tx, int(names["message_schedule"]))
    assert found is not None
    assert found.state == "inactive"
    assert await _last_action(web) == "messaging.deactivate_schedule"


async def test_a_render_cancelled_by_its_machine_leaves_no_job_in_the_queue(web: Web) -> None:
    names = await furnish(web)
    operator = await web.as_("haeundae", Role.OPERATOR)
    path = f"/api/v1/machines/render/subjects/{names['render']}/events"

    released = await operator.post(path, json={"event": "release"})
    sent = await operator.post(path, json={"event": "cancel", "reason": "over"})

    assert (released.status_code, sent.json()["transition"]["reason"]) == (200, "over")
    assert await _last_action(web) == "rendering.render_cancel"
    await withdrawals.obey_once(web.db, web.app.server.kinds)
    async with web.db.transaction() as tx:
        [render] = await renders.hold_renders(tx, [int(names["render"])])
        assert render.job_id is not None
        place = await queue.get_place(tx, render.job_id)
    assert (render.state, render.error_message, place.result) == ("cancelled", "over", "cancelled")


async def test_an_alert_acknowledged_by_its_machine_keeps_the_reason_as_its_note(web: Web) -> None:
    names = await furnish(web)
    operator = await web.as_("haeundae", Role.OPERATOR)
    path = f"/api/v1/machines/alert/subjects/{names['alert']}"

    sent = await operator.post(f"{path}/events", json={"event": "acknowledge", "reason": "on it"})

    assert sent.status_code == 200
    async with web.db.transaction() as tx:
        *_, last = await transitions.history(tx, ALERT, int(names["alert"]))
    assert (last.event, last.reason) == ("acknowledge", "on it")
    assert await _last_action(web) == "alerts.acknowledge"


async def test_what_one_may_not_send_is_explained_and_has_no_button(web: Web) -> None:
    names = await furnish(web)
    path = f"/machines/adgroup/{names['adgroup']}"
    operator, admin = await visitor(web, "haeundae", Role.OPERATOR), await visitor(web, "haeundae")

    allowed = (await operator.get(f"/api/v1/machines/adgroup/subjects/{names['adgroup']}/allowed-events")).json()
    pages = {"operator": await read(operator, path), "admin": await read(admin, path)}

    told = {one["event"]: (one["allowed"], one["reason"]) for one in allowed["items"]}
    assert (told["approve"], told["delete"]) == ((False, "may_do_it"), (True, None))
    assert {who: 'id="send-approve"' in page for who, page in pages.items()} == {"operator": False, "admin": True}
    assert {who: 'id="send-delete"' in page for who, page in pages.items()} == {"operator": True, "admin": True}
    assert "you may not send it" in pages["operator"]


async def test_a_subject_that_moved_meanwhile_is_not_moved_by_the_apps_action_either(web: Web) -> None:
    names = await furnish(web)
    admin = await web.as_("haeundae")
    path = f"/api/v1/machines/adgroup/subjects/{names['adgroup']}/events"

    answer = await admin.post(path, json={"event": "approve"}, headers={"If-Match": '"v1"'})

    assert answer.status_code == 412
    async with web.db.transaction() as tx:
        [group] = await load_ad_groups(tx, [int(names["adgroup"])])
    assert group.state == "ready"
