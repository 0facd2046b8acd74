"""The pages of rules, in both languages and without JavaScript: forms are plain, and every way leads somewhere."""

import pytest

from pabal.apps.rules.running import ScriptEnd
from pabal.apps.rules.store import rules
from pabal.base.settings import Settings
from pabal.platform.actor import Role
from tests.support.rules import ABOVE, HOUSE, RulesWorld, make_rules
from tests.support.web import Web

ENGLISH = {"Accept": "text/html", "Accept-Language": "en"}


@pytest.fixture
def web_settings(web_settings: Settings) -> Settings:
    return web_settings.model_copy(update={"apps": "pabal.apps.rules"})


@pytest.fixture
async def world(web: Web) -> RulesWorld:
    return await make_rules(web.db, web.tree)


@pytest.mark.req("D-26", "D-45", "D-55")
@pytest.mark.parametrize("lang", ["ko", "en"])
async def test_every_page_shows_a_rule_and_its_runs_to_whoever_may_look(web: Web, world: RulesWorld, lang: str):
    rule = await world.rule("주가 감시", condition=ABOVE, on_success=[{"type": "telegram", "config": {}}])
    await world.advance(minutes=5)
    [run], due = await world.runs(rule), (await world.look(rule)).next_run_at
    assert due is not None
    client = await web.as_("haeundae", Role.VIEWER, by="session")

    for path in ("/rules", f"/rules/{rule.id}", "/rules/runs", f"/rules/runs/{run.id}"):
        page = await client.get(path, headers={"Accept": "text/html", "Accept-Language": lang})
        assert page.status_code == 200, (path, page.text[:300])
        assert "주가 감시" in page.text
        assert f'action="/rules/{rule.id}' not in page.text
        if path in ("/rules", f"/rules/{rule.id}"):
            assert f'datetime="{due:%Y-%m-%dT%H:%M:%SZ}"' in page.text, path
    assert "price &gt;= 500" in page.text


@pytest.mark.req("D-45", "D-55")
async def test_who_may_only_look_sees_at_a_glance_what_runs_next_what_failed_and_changes_nothing(
    web: Web, world: RulesWorld
):
    good = await world.rule("주가 감시")
    bad = await world.rule("환율 감시", source="offline_quote", payload={})
    asleep = await world.rule("뉴스", is_active=False)
    await world.advance(minutes=10)
    client = await web.as_("haeundae", Role.VIEWER, by="session")

    page = (await client.get("/rules", headers=ENGLISH)).text
    front = (await client.get("/", headers=ENGLISH)).text
    refused = [await client.post(f"/rules/{good.id}/{verb}") for verb in ("run", "pause", "delete", "edit")]

    rows = {one.name: page.partition(f'id="rule-{one.id}"')[2].partition("</tr>")[0] for one in (good, bad, asleep)}
    # the clock began at 10:20:30 in Seoul
    assert 'datetime="2026-11-17T01:35:00Z"' in rows[good.name]
    assert "datetime=" not in rows[asleep.name]
    assert ("success" in rows[good.name], "failure" in rows[bad.name]) == (True, True)
    assert ("failure" in rows[good.name], "paused" in rows[asleep.name]) == (False, True)
    assert '<span class="big">4 <small>runs in 24 hours</small>' in front
    # the card says it in words; the bars beside it have the same words for whoever cannot see them
    card = front.partition("runs in 24 hours</small>")[2].partition("</a>")[0]
    assert '<span class="st st-sm st-fail">2 failed</span>' in card
    assert "환율 감시" in front
    assert {one.status_code for one in refused} == {403}
    assert (await world.look(good)).is_active


async def test_sources_say_what_they_ask_and_give_and_who_reads_them(web: Web, world: RulesWorld):
    await world.rule()
    ours = await (await web.as_("haeundae", Role.VIEWER, by="session")).get("/rules/sources", headers=ENGLISH)
    theirs = await (await web.as_("gangnam", Role.VIEWER, by="session")).get("/rules/sources", headers=ENGLISH)

    for page in (ours, theirs):
        assert "previous_close" in page.text
        assert "answered by yfinance" in page.text
    row = 'id="source-offline_quote"'
    assert '">1</td>' in ours.text.partition(row)[2].partition("</tr>")[0]
    assert '">0</td>' in theirs.text.partition(row)[2].partition("</tr>")[0]


async def test_a_rule_is_saved_and_tried_at_once(web: Web, world: RulesWorld):
    client = await web.as_("haeundae", Role.OPERATOR, by="session")
    payload = {"payload-0-key": "ticker", "payload-0-value": "AAPL"}
    typed = {"name": "주가", "source": "offline_quote", **payload, "dry_run": "yes"}

    made = await client.post("/rules/new", data=typed)
    await world.drain()
    shown = await client.get(made.headers["location"], headers=ENGLISH)
    async with world.db.transaction() as tx:
        [kept] = (await rules.list_rules(tx, HOUSE)).items
    edited = await client.post(f"/rules/{kept.id}/edit", data={**typed, "name": "환율"})

    assert "A dry run: nothing was sent." in shown.text
    assert edited.headers["location"].startswith("/rules/runs/")
    assert [run.is_dry for run in await world.runs(kept)] == [True, True]


async def test_an_empty_house_is_told_what_to_do_first(web: Web, world: RulesWorld):
    client = await web.as_("haeundae", Role.OPERATOR, by="session")

    for path in ("/rules", "/rules/runs"):
        assert (await client.get(path, headers={"Accept": "text/html"})).status_code == 200


async def test_a_form_shows_the_next_moments_and_what_is_wrong_and_saves(web: Web, world: RulesWorld):
    client = await web.as_("haeundae", Role.OPERATOR, by="session")
    payload = {"payload-0-key": "topic", "payload-0-value": "AI"}
    typed = {"name": "아침", "schedule": "0 8 1 * 1", "source": "news_summary", **payload}

    shown = await client.post("/rules/new", data={**typed, "preview": "yes"})
    wrong = await client.post("/rules/new", data={**typed, "schedule": "8 uhr", "payload-0-key": ""})
    refused = await client.post("/rules/new", data={**typed, "schedule": "8 uhr"})
    saved = await client.post("/rules/new", data=typed)

    assert shown.status_code == 200
    # both a day of the month and a weekday: odd
    assert "중 하나만 맞아도" in shown.text or "either" in shown.text
    assert (wrong.status_code, refused.status_code) == (422, 422)
    assert 'id="payload-0-key-err"' in wrong.text
    assert 'id="schedule-err"' in refused.text
    assert saved.status_code == 303
    rule_page = saved.headers["location"]
    assert (await client.get(rule_page)).status_code == 200
    edited = await client.post(f"{rule_page}/edit", data={**typed, "name": "저녁"})
    assert edited.status_code == 303
    assert "저녁" in (await client.get(rule_page)).text


async def test_what_a_failure_was_stands_first(web: Web, world: RulesWorld):
    rule = await world.rule(source="offline_quote", payload={})
    await world.advance(minutes=5)
    [run] = await world.runs(rule)
    client = await web.as_("haeundae", Role.OPERATOR, by="session")

    page = (await client.get(f"/rules/runs/{run.id}", headers={"Accept": "text/html"})).text

    assert "incomplete or cannot be right. (ticker)" in page
    assert page.index("pb-error") < page.index("pb-kv")
    assert "source_failed" in page


async def test_all_that_a_run_s_end_changes_on_its_page_changes_by_itself(web: Web, world: RulesWorld):
    """Its state and its buttons, too: they stood still while the rest of the page said that it was over."""
    rule = await world.rule()
    client = await web.as_("haeundae", Role.OPERATOR, by="session")
    asked = (await client.post(f"/rules/{rule.id}/run")).headers["location"]

    page = (await client.get(asked, headers=ENGLISH)).text

    live = page[page.index('id="run" data-live-src="" data-topics=') :]
    assert f'action="{asked}/cancel"' in live
    assert "pb-kv" in live


@pytest.mark.req("D-15")
async def test_a_rule_s_page_says_what_must_hold_and_whom_it_tells(web: Web, world: RulesWorld):
    either = {"any": [ABOVE, {"all": [{"path": "change_percent", "op": "<", "value": -5}]}]}
    told = [
        {"type": "telegram", "config": {"template": "{ticker}!"}},
        {"type": "event", "config": {"name": "price.up"}},
    ]
    rule = await world.rule(condition=either, on_success=told, on_failure=[{"type": "log", "config": {}}])

    page = await (await web.as_("haeundae", Role.VIEWER, by="session")).get(f"/rules/{rule.id}", headers=ENGLISH)

    assert "(price &gt;= 500 (target) or change_percent &lt; -5)" in page.text
    assert "<b>Telegram</b>, when that changes: {ticker}!" in page.text
    assert "<b>Log</b>, each time" in page.text


async def test_files_that_ran_without_a_commit_are_shown_with_their_hash(web: Web, world: RulesWorld):
    digest = "0123456789abcdef" * 4
    world.scripts.answers = [ScriptEnd(True, None, "done", commit="4f1c2e9", dirty={"stock/check.py": digest})]
    rule = await world.rule(execution_script_path="stock/check.py")
    await world.advance(minutes=5)
    [run] = await world.runs(rule)

    page = await (await web.as_("haeundae", Role.VIEWER, by="session")).get(f"/rules/runs/{run.id}", headers=ENGLISH)
    told = await (await web.as_("haeundae", Role.VIEWER)).get(f"/api/v1/rule-executions/{run.id}")

    assert "stock/check.py · 0123456789ab" in page.text
    assert told.json()["dirty"] == {"stock/check.py": digest}


async def test_a_rule_without_runs_shows_its_first_one_by_itself(web: Web, world: RulesWorld):
    rule = await world.rule()
    client = await web.as_("haeundae", Role.VIEWER, by="session")

    page = (await client.get(f"/rules/{rule.id}", headers=ENGLISH)).text

    assert 'id="runs" data-live-src="" data-topics=' in page


async def test_the_buttons_do_what_they_say(web: Web, world: RulesWorld):
    rule = await world.rule()
    client = await web.as_("haeundae", Role.OPERATOR, by="session")

    for verb, state in (("pause", "paused"), ("resume", "active"), ("dry-run", "active"), ("run", "active")):
        assert (await client.post(f"/rules/{rule.id}/{verb}")).status_code == 303, verb
        assert (await world.look(rule)).state == state
    await world.drain()
    assert sorted(run.trigger for run in await world.runs(rule)) == ["dry_run", "manual"]
    assert (await client.post(f"/rules/{rule.id}/delete")).status_code == 303
    assert (await client.get(f"/rules/{rule.id}")).status_code == 404


async def test_pages_of_the_engine_lead_to_a_rule_and_its_runs(web: Web, world: RulesWorld):
    rule = await world.rule()
    await world.advance(minutes=5)
    [run] = await world.runs(rule)
    client = await web.as_("haeundae", Role.VIEWER, by="session")

    assert (await client.get(f"/rules/by-number/{rule.number}")).headers["location"] == f"/rules/{rule.id}"
    assert (await client.get(f"/rules/runs/by-number/{run.number}")).headers["location"] == f"/rules/runs/{run.id}"
