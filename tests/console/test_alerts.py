from datetime import timedelta

from pabal.base import clock
from pabal.engine.listing.paging import show_cursor
from pabal.platform import alerts
from pabal.platform.actor import Role
from tests.console.firing import SLOW, STUCK, fire, get, list_open, resolve
from tests.support.web import Web

HOSTILE = "<script>alert(1)</script>"


async def test_an_open_alert_says_what_is_wrong_in_the_readers_language(web: Web) -> None:
    await fire(web.db, "queue:msg")
    client = await web.as_()

    english = (await client.get("/alerts")).text
    korean = (await client.get("/alerts", headers={"Accept-Language": "ko"})).text

    assert "Work is stuck — queue:msg" in english
    assert "Now 900 s, the limit is 300 s." in english
    assert "작업이 밀림 — queue:msg" in korean
    assert "지금 900초, 기준 300초." in korean


async def test_what_was_measured_long_ago_is_not_now(web: Web) -> None:
    await fire(web.db, "queue:msg")
    await clock.advance(web.db, timedelta(minutes=20))

    page = (await (await web.as_()).get("/alerts")).text

    assert "900 s when last measured (20 min ago), the limit is 300 s." in page


async def test_without_an_alert_the_page_says_that_nothing_is_wrong(web: Web) -> None:
    page = await (await web.as_()).get("/alerts")

    assert page.status_code == 200
    assert "Nothing is wrong." in page.text


async def test_a_branch_sees_its_own_alerts_and_not_those_of_others(web: Web) -> None:
    await fire(web.db, "theirs", web.tree.gangnam)
    await fire(web.db, "ours", web.tree.haeundae)
    await fire(web.db, "the houses")

    page = (await (await web.as_("haeundae")).get("/alerts")).text

    assert "Work is stuck — ours" in page
    assert "theirs" not in page
    assert "the houses" not in page


async def test_what_an_alert_is_about_is_shown_as_text(web: Web) -> None:
    await fire(web.db, HOSTILE)

    page = (await (await web.as_()).get("/alerts")).text

    assert HOSTILE not in page
    assert "&lt;script&gt;" in page


async def test_many_are_acknowledged_together_and_a_viewer_is_offered_none(web: Web) -> None:
    both = [await fire(web.db, about) for about in ("queue:msg", "queue:ads")]
    client, viewer = await web.as_(by="session"), await web.as_(role=Role.VIEWER)

    page, seen = (await client.get("/alerts")).text, (await viewer.get("/alerts")).text
    chosen = {"noun": "platform.alerts", "verb": "acknowledge", "id": [one.shown_id for one in both], "once": "a"}
    await client.post("/bulks", data={**chosen, "option_note": "the carrier is down"})

    assert [f'value="{one.shown_id}" form="many"' in page for one in both] == [True, True]
    assert ('value="acknowledge"' in page, 'form="many"' in seen) == (True, False)
    assert {((one := await get(web.db, alert)).state, one.note) for alert in both} == {
        ("acknowledged", "the carrier is down")
    }


async def test_who_acknowledged_it_and_why_stands_beside_it(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")
    client = await web.as_(by="session")

    await client.post(f"/alerts/{alert.id}/acknowledge", data={"note": "calling the carrier"})
    page = (await client.get("/alerts")).text

    assert (await get(web.db, alert)).state == "acknowledged"
    assert "Acknowledged by hq admin: “calling the carrier”" in page


async def test_a_branch_does_not_learn_the_name_of_somebody_above(web: Web) -> None:
    alert = await fire(web.db, "queue:msg", web.tree.haeundae)
    await (await web.as_("busan", by="session")).post(f"/alerts/{alert.id}/acknowledge")

    page = (await (await web.as_("haeundae")).get("/alerts")).text

    assert "Acknowledged by somebody above" in page
    assert "busan admin" not in page


async def test_a_viewer_is_offered_nothing_to_do(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")

    page = (await (await web.as_(role=Role.VIEWER)).get("/alerts")).text

    assert "Work is stuck — queue:msg" in page
    assert f"/alerts/{alert.id}/acknowledge" not in page
    assert f"/alerts/{alert.id}/silence" not in page
    assert "/alerts/rules/silence" not in page


async def test_a_token_without_the_area_sees_no_alerts(web: Web) -> None:
    client = await web.as_(scopes=("jobs:read",))

    assert (await client.get("/alerts")).status_code == 403
    assert (await client.get("/alerts?view=history")).status_code == 403


async def test_history_lists_what_is_over_and_is_filtered_by_rule(web: Web) -> None:
    await resolve(web.db, await fire(web.db, "queue:msg"))
    await fire(web.db, "still there")
    client = await web.as_()

    everything = (await client.get("/alerts?view=history")).text
    of_another = (await client.get(f"/alerts?view=history&rule={SLOW}")).text

    assert "queue:msg" in everything
    assert "900 s" in everything
    assert "still there" not in everything
    assert "Nothing matches these filters." in of_another


async def test_history_goes_on_where_the_page_before_ended(web: Web) -> None:
    first = await fire(web.db, "first")
    await resolve(web.db, first)
    second = await fire(web.db, "second")
    await resolve(web.db, second)
    client = await web.as_()

    page = (await client.get(f"/alerts?view=history&cursor={show_cursor(second.id)}")).text
    mistyped = (await client.get("/alerts?view=history&cursor=nonsense")).text

    assert "Work is stuck — first" in page
    assert "Work is stuck — second" not in page
    assert "Work is stuck — second" in mistyped


async def test_every_rule_says_its_condition_with_a_link_to_change_it(web: Web) -> None:
    page = (await (await web.as_()).get("/alerts")).text

    for rule in web.app.site.rules:
        assert rule.label[0] in page
        assert f"#{rule.threshold_setting.key}" in page
    assert "Oldest ready job &gt;" in page or "Oldest ready job >" in page
    [group] = {part.split("#")[0] for part in page.split('"') if f"#alerts.{STUCK}.threshold" in part}
    settings = (await (await web.as_()).get(group)).text
    assert f'id="alerts.{STUCK}.threshold"' in settings


async def test_planned_work_silences_what_a_rule_fires(web: Web) -> None:
    await fire(web.db, "queue:msg")
    client = await web.as_(by="session")

    answer = await client.post(
        "/alerts/rules/silence", data={"rule": STUCK, "length": "8h", "silence_note": "moving the database"}
    )
    page = (await client.get("/alerts")).text

    assert answer.status_code == 303
    assert [one.state for one in await list_open(web.db)] == ["silenced"]
    assert "moving the database" in page
    assert "hq admin" in page


async def test_the_silence_of_a_rule_is_ended_from_its_row(web: Web) -> None:
    client = await web.as_(by="session")
    await client.post("/alerts/rules/silence", data={"rule": STUCK, "length": "1h"})

    await client.post("/alerts/rules/unsilence", data={"rule": STUCK})

    async with web.db.transaction() as tx:
        assert await alerts.list_rule_silences(tx) == {}


async def test_a_silence_in_the_past_is_refused_at_its_field_and_keeps_what_was_typed(web: Web) -> None:
    client = await web.as_(by="session")

    answer = await client.post(
        "/alerts/rules/silence",
        data={"rule": SLOW, "length": "custom", "until": "2020-01-01T09:00", "silence_note": HOSTILE},
    )

    assert answer.status_code == 422
    assert 'id="until-err"' in answer.text
    assert 'value="2020-01-01T09:00"' in answer.text
    assert f'<option value="{SLOW}" selected>' in answer.text
    assert "&lt;script&gt;" in answer.text
    assert HOSTILE not in answer.text


async def test_only_the_head_office_silences_a_rule(web: Web) -> None:
    client = await web.as_("busan", by="session")

    answer = await client.post("/alerts/rules/silence", data={"rule": STUCK, "length": "1h"})
    page = (await client.get("/alerts")).text

    assert answer.status_code == 403
    assert "/alerts/rules/silence" not in page


async def test_an_unknown_rule_is_not_there(web: Web) -> None:
    client = await web.as_(by="session")

    answer = await client.post("/alerts/rules/silence", data={"rule": "engine.nothing", "length": "1h"})

    assert answer.status_code == 404


async def test_rules_are_narrowed_to_an_app(web: Web) -> None:
    client = await web.as_()

    assert "Work is stuck" in (await client.get("/alerts?app=engine")).text
    assert "Work is stuck" not in (await client.get("/alerts?app=nobody")).text
