"""Metrics by the names of the requirements, and what health says."""

from datetime import timedelta

import pytest

from pabal.apps.relay.actions import accounts
from pabal.base import clock
from pabal.base.settings import Settings
from pabal.base.telemetry import metrics_text
from pabal.platform.actor import ENGINE
from tests.support.relay import add_account, make_relay
from tests.support.web import Web

NAMES = {
    "C-72": "relay.webhook.received",
    "C-73": "relay.message.queued",
    "C-74": "relay.message.delivered",
    "C-75": "relay.message.expired",
    "C-76": "relay.callback.sent",
    "C-77": "relay.callback.failed",
    "C-78": "relay.pairing.created",
    "C-79": "relay.pairing.verified",
}


@pytest.fixture
def web_settings(web_settings: Settings) -> Settings:
    return web_settings.model_copy(update={"apps": "pabal.apps.relay"})


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.req(line)) for line, name in NAMES.items()])
def test_each_metric_has_its_name(name: str):
    import pabal.apps.relay.api  # noqa: PLC0415 -- declares those of the webhook
    import pabal.apps.relay.slice  # noqa: F401, PLC0415 -- and all others

    assert f"# HELP pabal_{name.replace('.', '_')}_total" in metrics_text().decode()


@pytest.mark.req("C-80", "C-81", "C-82", "C-83")
async def test_health_shows_the_database_the_queue_its_oldest_and_the_accounts(web: Web):
    world = await make_relay(web.db, web.tree)
    other, off = [await add_account(web.db, web.tree.haeundae.id, name) for name in ("둘째", "꺼진 비서")]
    await world.pair("lee", other)
    client = await web.anybody()
    empty = (await client.get("/health")).json()
    await world.say("하나")
    await clock.advance(web.db, timedelta(seconds=100))
    await world.read(other)
    await world.say("둘", "lee")
    async with web.db.transaction() as tx:
        await accounts.disable_account(tx, ENGINE, off.account.id)
        await accounts.create_session(tx, "203.0.113.7")

    found = (await client.get("/health")).json()

    assert (empty["status"], empty["database"]) == ("ok", "ok")
    assert (empty["queueDepth"], empty["oldestUndelivered"], empty["activeAccounts"]) == (0, None, 3)
    assert (found["queueDepth"], found["activeAccounts"]) == (2, 2)
    assert 100 <= found["oldestUndelivered"] < 160
    await world.read(room=1)
    rest = (await client.get(f"{web.url}//health")).json()
    assert (rest["queueDepth"], rest["oldestUndelivered"] < 60) == (1, True)


async def test_a_browser_gets_the_page_of_the_same_address(web: Web):
    person = await web.as_("hq", by="session", Accept="text/html")

    page = await person.get("/health")

    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")


@pytest.mark.req("C-80")
async def test_health_says_that_the_database_is_away(web: Web):
    web.app.services.pages.terminate()

    answer = await (await web.anybody()).get("/health")

    assert (answer.status_code, answer.json()["database"]) == (503, "error")


class TestInProduction:
    @pytest.fixture
    def web_settings(self, web_settings: Settings) -> Settings:
        return web_settings.model_copy(update={"metrics": "token"})

    async def test_strangers_see_no_figures(self, web: Web):
        shown = (await (await web.anybody()).get("/health")).json()
        seen = (await (await web.as_("hq")).get("/health")).json()
        branch = (await (await web.as_("haeundae")).get("/health")).json()

        assert set(shown) == set(branch) == {"status", "database", "version"}
        assert set(seen) >= {"queueDepth", "oldestUndelivered", "activeAccounts"}
