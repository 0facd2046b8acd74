from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from pabal.platform import audit
from pabal.platform.actor import Role
from tests.console.firing import EVERYTHING, fire, get, measure, resolve
from tests.support.web import Web

SEOUL = ZoneInfo("Asia/Seoul")


async def test_the_story_tells_how_it_came_about_and_what_comes_next(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")

    page = (await (await web.as_()).get(f"/alerts/{alert.id}")).text

    told = ["Oldest ready job passed the limit of 300 s.", "It fired.", "People were told.", "Last measured: 900 s."]
    places = [page.index(line) for line in told]
    assert places == sorted(places)
    assert "People are told again, unless somebody acknowledges it." in page
    assert "A job is ready and nobody takes it." in page


async def test_the_story_goes_on_with_what_people_said(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")
    client = await web.as_(by="session")
    await client.post(f"/alerts/{alert.id}/silence", data={"length": "1h", "silence_note": "<b>known</b>"})

    page = (await client.get(f"/alerts/{alert.id}")).text

    assert "Silenced by hq admin." in page
    assert "“&lt;b&gt;known&lt;/b&gt;”" in page
    assert "The silence ends. If it is not over by then, it fires again." in page


async def test_an_alert_that_is_over_says_why_and_offers_nothing(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")
    await resolve(web.db, alert)

    page = (await (await web.as_()).get(f"/alerts/{alert.id}", headers={"Accept-Language": "ko"})).text

    assert "해소됐습니다." in page
    assert "기준을 벗어나지 않게 됐습니다." in page
    assert f"/alerts/{alert.id}/acknowledge" not in page
    assert f"/alerts/{alert.id}/silence" not in page


async def test_the_chart_holds_what_was_measured_and_the_limit(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")
    client = await web.as_()

    drawn = (await client.get(f"/alerts/{alert.id}/points")).json()
    page = (await client.get(f"/alerts/{alert.id}")).text

    assert {value for _, value in drawn["series"][0]["points"]} == {900.0}
    assert drawn["limit"] == {"value": 300.0, "label": "limit 300 s"}
    assert f'data-src="/alerts/{alert.id}/points"' in page
    assert "between 900 s and 900 s, beyond the limit of 300 s for 100 % of the time." in page


async def test_a_hole_in_the_samples_is_a_hole_in_the_line(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")
    async with web.db.transaction() as tx:
        await measure(tx, "queue:msg", None, [tx.now - timedelta(minutes=50 + number) for number in range(5)])

    drawn = (await (await web.as_()).get(f"/alerts/{alert.id}/points")).json()

    assert [value for _, value in drawn["series"][0]["points"]].count(None) == 1


async def test_the_alert_of_another_branch_is_not_there(web: Web) -> None:
    alert = await fire(web.db, "queue:msg", web.tree.gangnam)
    client = await web.as_("haeundae", by="session")

    assert (await client.get(f"/alerts/{alert.id}")).status_code == 404
    assert (await client.get(f"/alerts/{alert.id}/points")).status_code == 404
    assert (await client.post(f"/alerts/{alert.id}/acknowledge")).status_code == 404
    assert (await client.post(f"/alerts/{alert.id}/silence", data={"length": "1h"})).status_code == 404
    assert (await get(web.db, alert)).state == "firing"


async def test_what_is_no_number_is_not_there(web: Web) -> None:
    client = await web.as_()

    assert (await client.get("/alerts/nonsense")).status_code == 404
    assert (await client.get(f"/alerts/{2**80}")).status_code == 404


async def test_a_viewer_may_say_nothing_to_an_alert(web: Web) -> None:
    alert = await fire(web.db, "queue:msg", web.tree.haeundae)
    client = await web.as_("haeundae", Role.VIEWER, by="session")

    answers = [
        await client.post(f"/alerts/{alert.id}/{verb}", data={"length": "1h"})
        for verb in ("acknowledge", "silence", "unsilence")
    ]
    page = (await client.get(f"/alerts/{alert.id}")).text

    assert [answer.status_code for answer in answers] == [403, 403, 403]
    assert f"/alerts/{alert.id}/acknowledge" not in page
    assert (await get(web.db, alert)).state == "firing"


async def test_a_form_from_elsewhere_is_refused(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")
    client = await web.as_(by="session")

    answer = await client.post(f"/alerts/{alert.id}/acknowledge", headers={"X-CSRF-Token": "guessed"})

    assert answer.status_code == 403
    assert (await get(web.db, alert)).state == "firing"


async def test_acknowledging_is_audited_and_leads_back(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")
    client = await web.as_(by="session")

    answer = await client.post(f"/alerts/{alert.id}/acknowledge", data={"note": "mine", "back": f"/alerts/{alert.id}"})

    assert answer.headers["Location"] == f"/alerts/{alert.id}"
    assert "alerts.acknowledge" in await _list_audit(web)


async def test_a_note_too_long_is_refused_at_its_field_and_kept(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")
    client = await web.as_(by="session")

    answer = await client.post(f"/alerts/{alert.id}/acknowledge", data={"note": "x" * 501})

    assert answer.status_code == 422
    assert 'id="note-err"' in answer.text
    assert "x" * 501 in answer.text
    assert (await get(web.db, alert)).state == "firing"


async def test_silence_lasts_as_long_as_its_button_says(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")
    client = await web.as_(by="session")

    await client.post(f"/alerts/{alert.id}/silence", data={"length": "8h"})

    silenced = await get(web.db, alert)
    async with web.db.transaction() as tx:
        left = (silenced.silenced_until or tx.now) - tx.now
    assert silenced.state == "silenced"
    assert timedelta(hours=7, minutes=59) < left <= timedelta(hours=8)


async def test_until_the_morning_is_tomorrow_nine_oclock_of_the_visitor(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")
    client = await web.as_(by="session")

    await client.post(f"/alerts/{alert.id}/silence", data={"length": "morning"})

    async with web.db.transaction() as tx:
        tomorrow = tx.now.astimezone(SEOUL).date() + timedelta(days=1)
    until = (await get(web.db, alert)).silenced_until
    assert until == datetime(tomorrow.year, tomorrow.month, tomorrow.day, 9, tzinfo=SEOUL)


async def test_an_end_of_ones_own_is_of_the_visitors_clock(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")
    client = await web.as_(by="session")
    async with web.db.transaction() as tx:
        wanted = (tx.now.astimezone(SEOUL) + timedelta(days=3)).replace(hour=18, minute=30, second=0, microsecond=0)

    await client.post(
        f"/alerts/{alert.id}/silence", data={"length": "custom", "until": wanted.strftime("%Y-%m-%dT%H:%M")}
    )

    assert (await get(web.db, alert)).silenced_until == wanted


async def test_an_end_that_cannot_be_is_refused_at_its_field(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")
    client = await web.as_(by="session")

    answers = [
        await client.post(f"/alerts/{alert.id}/silence", data={"length": "custom", "until": until})
        for until in ("", "soon", "2020-01-01T09:00", "9999-12-31T23:59")
    ]

    assert [answer.status_code for answer in answers] == [422] * 4
    assert all('id="until-err"' in answer.text for answer in answers)
    assert (await get(web.db, alert)).state == "firing"


async def test_a_silence_is_ended_by_hand(web: Web) -> None:
    alert = await fire(web.db, "queue:msg")
    client = await web.as_(by="session")
    await client.post(f"/alerts/{alert.id}/silence", data={"length": "1h"})

    await client.post(f"/alerts/{alert.id}/unsilence")

    assert (await get(web.db, alert)).state == "firing"


async def _list_audit(web: Web) -> list[str]:
    async with web.db.transaction() as tx:
        return [entry.action for entry in await audit.list_entries(tx, audit.Wanted(units=EVERYTHING.listed))]
