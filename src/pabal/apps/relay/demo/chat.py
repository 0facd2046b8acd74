"""A demo's channel and its two instances, live: real over HTTP, on this machine. One of them misses its minute."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any, Self

from pabal.apps.relay.demo.filling import CHANNEL, FAST, SLOW, USERS, renew_tokens
from pabal.apps.relay.hub import hub_of
from pabal.apps.relay.simulator.kakao import KakaoChannel, ShownBubble, SkillCall
from pabal.apps.relay.simulator.openclaw import OpenClaw
from pabal.apps.relay.simulator.options import ChannelOptions, InstanceBehaviour, InstanceOptions, InstanceReply
from pabal.platform.services import Services

NAME = "relay demo channel"
# longer than Kakao waits, so that its answers are rescued
TOO_LONG = 65.0
STORY = "데모 비서가 들려주는 긴 이야기라 한 번에 다 보낼 수 없습니다. "


def answer(text: str) -> list[InstanceReply]:
    """What a demo's assistant knows to say: everything back, and a long story where it is asked for one."""
    if "길게" in text:
        return ["\n\n".join(f"{number}번째 이야기입니다. " + STORY * 12 for number in range(1, 9))]
    return [f"‘{text.strip()[:200]}’라고 하셨네요. 저는 데모 비서라 그대로 들려드려요."]


OPTIONS = {
    FAST: InstanceOptions(answer=answer, most_attempts=None),
    SLOW: InstanceOptions(behaviour=InstanceBehaviour.SLOW, delay=TOO_LONG, answer=answer, most_attempts=None),
}


class DemoChannel:
    """Nothing runs where no web server was started: there is nobody to talk to."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._stack = AsyncExitStack()
        self._channel: KakaoChannel | None = None

    async def __aenter__(self) -> Self:
        door = self._services.connections.doors.get("web")
        if door is None:
            return self
        url = f"http://127.0.0.1:{door[1]}"
        self._channel = await self._stack.enter_async_context(KakaoChannel(url, ChannelOptions(holds_overtaking=True)))
        hub_of(self._services).kakao.addresses.origins.add(self._channel.url)
        async with self._services.database.transaction() as tx:
            tokens = await renew_tokens(tx)
        for name, options in OPTIONS.items():
            await self._stack.enter_async_context(OpenClaw(url, tokens[name], options))
        self._services.kept[NAME] = self
        return self

    async def __aexit__(self, *_: object) -> None:
        self._services.kept.pop(NAME, None)
        await self._stack.aclose()

    async def say(self, user: str, text: str) -> SkillCall | None:
        """As a KakaoTalk user of the demo; what comes back at once is shown with the rest."""
        if self._channel is None or user not in USERS:
            return None
        return await asyncio.shield(self._channel.say(user, text, bot_id=CHANNEL))

    def read(self, user: str) -> list[ShownBubble | SkillCall]:
        """What was said and shown, in order, newest last."""
        if self._channel is None:
            return []
        said = [one for one in self._channel.journal.entries if isinstance(one, SkillCall | ShownBubble)]
        return [one for one in said if one.user == user][-50:]

    def read_quick_replies(self, user: str) -> list[dict[str, Any]]:
        """Of the last answer, for as long as the user has said nothing since."""
        return [] if self._channel is None else self._channel.quick_replies.get(user, [])


def find_channel(services: Services) -> DemoChannel | None:
    found = services.kept.get(NAME)
    return found if isinstance(found, DemoChannel) else None
