import pytest

from pabal.apps.relay import hub
from pabal.apps.relay.slice import make_loops
from pabal.apps.relay.store.accounts import hash_token
from pabal.base.settings import Settings
from tests.support.relay import make_relay
from tests.support.web import Web


@pytest.fixture
def web_settings(web_settings: Settings) -> Settings:
    return web_settings.model_copy(update={"apps": "pabal.apps.relay"})


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
