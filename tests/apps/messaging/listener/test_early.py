import pytest

from pabal.apps.messaging.listener.server import BotServer
from tests.apps.messaging.listener.phones import WHO, MemoryKeeper, Phone, chat, until


async def test_what_was_heard_before_the_handshake_is_handed_on_after_it(server: BotServer, keeper: MemoryKeeper):
    phone = await Phone.call(server)

    phone.write(b"".join(chat(f"{n}") for n in range(300)))
    phone.say("handshake", dict(WHO))
    phone.chat("다음")

    await until(lambda: len(keeper.chats) == 301)
    assert [one.text for one in keeper.chats] == [*(f"{n}" for n in range(300)), "다음"]
    assert keeper.told[0][0] == "handshake"


@pytest.mark.parametrize(("count", "size"), [(2001, 1), (6, 700_000)])
async def test_too_much_before_the_handshake_is_refused(server: BotServer, count: int, size: int):
    phone = await Phone.call(server)

    phone.write(chat("x" * (size * 3 // 4)) * count)

    assert (await phone.hear()).data["reason"] == "flood"
    assert await phone.is_hung_up_on()
