"""A relay over real sockets: a server that works, Kakao's side, and instances where a test wants them."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions.accounts import AccountToken
from pabal.apps.relay.hub import Hub, hub_of
from pabal.apps.relay.simulator.kakao import KakaoChannel
from pabal.apps.relay.simulator.openclaw import OpenClaw
from pabal.apps.relay.simulator.options import ChannelOptions, InstanceOptions
from pabal.base.database import Database
from pabal.base.settings import Settings
from tests.support.people import Tree, plant
from tests.support.relay import RelayWorld, add_account, set_value
from tests.support.web import SECRET, Web, open_web

HOW: Any = {"roles": frozenset({"web", "worker"}), "keeps_house": False}
NOTHING = timedelta(0)


@dataclass
class Relay:
    """`kim` is paired with the account; nobody reads its mailbox until an instance is started."""

    web: Web
    db: Database
    tree: Tree
    world: RelayWorld
    channel: KakaoChannel
    account: AccountToken
    settings: Settings
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def url(self) -> str:
        return self.web.url

    @property
    def hub(self) -> Hub:
        return hub_of(self.web.app.services)

    async def instance(self, account: AccountToken | None = None, *, url: str = "", **options: Any) -> OpenClaw:
        """One that reads already."""
        token = (account or self.account).token
        chosen = replace(InstanceOptions(backoff_ms=10, backoff_most_ms=50, status_seconds=0.05), **options)
        made = await self._stack.enter_async_context(OpenClaw(url or self.url, token, chosen))
        await made.wait_until_connected()
        return made

    async def session(self, **options: Any) -> OpenClaw:
        """One that comes by itself, without a token."""
        chosen = replace(InstanceOptions(backoff_ms=10, backoff_most_ms=50, status_seconds=0.05), **options)
        return await self._stack.enter_async_context(OpenClaw(self.url, "", chosen))

    async def client(self, token: str | None = None, **headers: str) -> httpx2.AsyncClient:
        named = {"Authorization": f"Bearer {self.account.token if token is None else token}"} if token != "" else {}
        return await self.web.client({**named, **headers})

    async def world_awake(self) -> None:
        """Somebody has just read the account's mailbox."""
        await self.world.read()

    async def second_server(self) -> Web:
        return await self._stack.enter_async_context(open_web(self.db, self.settings, **HOW, tree=self.tree))

    async def texts(self, user: str, count: int) -> list[str]:
        return [one.text for one in await self.channel.wait_for_bubbles(user, count)]


@pytest.fixture
def channel_options() -> ChannelOptions:
    """A test module may say otherwise."""
    return ChannelOptions()


@pytest.fixture
async def relay(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, channel_options: ChannelOptions
) -> AsyncIterator[Relay]:
    tree = await plant(db)
    account = await add_account(db, tree.haeundae.id)
    world = RelayWorld(db, tree, account)
    # nobody here waits for more pieces, or for Kakao to hear our own answer
    await set_value(db, own.GATHER, NOTHING)
    await set_value(db, own.CALLBACK_DELAY, NOTHING)
    async with KakaoChannel("", channel_options) as channel:
        monkeypatch.setenv("PABAL_RELAY_CALLBACK_HOSTS", channel.url)
        monkeypatch.setenv("PABAL_RELAY_EVENT_URL", channel.url)
        settings = Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="pabal.apps.relay", secret_key=SECRET)
        async with open_web(db, settings, **HOW, tree=tree) as web:
            channel.relay_url = web.url
            made = Relay(web, db, tree, world, channel, account, settings)
            await pair(made, "kim")
            async with made._stack:
                yield made


async def pair(relay: Relay, user: str, account: AccountToken | None = None) -> None:
    """At the simulated channel, whose bot has another id than the one of `payload`."""
    said = await relay.channel.say(user, f"/pair {await relay.world.make_code(account)}")
    assert said.is_valid, said
    relay.channel.bubbles[user].clear()
