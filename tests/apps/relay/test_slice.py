from datetime import timedelta

import pytest

from pabal.apps.relay import hub
from pabal.apps.relay.slice import make_loops
from pabal.apps.relay.store.accounts import hash_token, list_codes
from pabal.base import clock
from pabal.base.settings import Settings
from tests.support.relay import HOUSE, make_relay
from tests.support.web import Web


@pytest.fixture
def web_settings(web_settings: Settings) -> Settings:
    return web_settings.model_copy(update={"apps": "pabal.apps.relay"})


@pytest.mark.req("C-57")
async def test_what_runs_every_minute_cleans_up_and_what_runs_every_second_expires(web: Web):
    world = await make_relay(web.db, web.tree)
    loops = {loop.name: loop for loop in make_loops(web.app.services)}
    unused = await world.make_code()
    await world.say("아무도 답하지 않는 질문")
    await clock.advance(web.db, timedelta(minutes=11))

    assert await loops["relay.expire"]._step() == 1
    await loops["relay.clean_up"]._step()

    assert [one.status for one in await world.messages()] == ["EXPIRED"]
    async with web.db.transaction() as tx:
        kept = (await list_codes(tx, HOUSE, with_ended=True)).items
    assert unused not in [one.code for one in kept]


@pytest.mark.req("C-57", "C-49")
async def test_cleaning_up_runs_every_minute_and_mailboxes_are_looked_at_every_second(web: Web):
    rests = {loop.name: loop._idle for loop in make_loops(web.app.services)}

    assert rests["relay.clean_up"] == 60
    assert rests["relay.mail"] == 1
    assert rests["relay.expire"] == 1


@pytest.mark.req("C-49")
async def test_what_no_hint_told_of_is_found_within_a_second_and_not_looked_for_more_often(
    web: Web, monkeypatch: pytest.MonkeyPatch
):
    """Nothing listens here: only the hub's own look finds a message."""
    world, now = await make_relay(web.db, web.tree), [100.0]
    monkeypatch.setattr(hub, "elapsed", lambda: now[0])
    found = hub.Hub(web.app.services, hub.RelayStartup())
    found.sit_down(world.account.account.id, hash_token(world.account.token), name=None)
    await found.run_once()

    await world.say("첫 질문")
    now[0] += 0.99
    early = await found.run_once()
    now[0] += 0.02

    assert (early, await found.run_once()) == (0, 1)
