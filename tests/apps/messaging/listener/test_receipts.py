"""The pong to the ping behind a part says that the phone handled it: nothing else does, and nothing overtakes it."""

import asyncio

import pytest

from pabal.apps.messaging.errors import BotGone, NoReceipt
from pabal.apps.messaging.gateway import Receipt
from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.listener.server import BotServer
from tests.apps.messaging.listener.phones import WHO, Clock, Heard, Phone, until

MEGABYTE = 1024 * 1024


async def greet(server: BotServer, **who: str) -> tuple[Phone, Connection]:
    phone = await Phone.greet(server, **who)
    connection = server.find(who.get("botName", "LOA.i"))
    assert connection is not None
    return phone, connection


def answer(phone: Phone, ping: Heard, event: str = "pong") -> None:
    phone.say(event, {"bot_name": "LOA.i", "server_timestamp": ping.data["server_timestamp"], "monitoring": {}})


@pytest.mark.parametrize(("version", "event"), [("3.3.3", "pong"), ("3.2.1", "ping")])
async def test_a_part_is_handled_once_the_ping_right_behind_it_is_answered(server: BotServer, version: str, event: str):
    phone, connection = await greet(server, version=version)

    receipt = await connection.send_text("방", "1", "안녕")
    part, ping = await phone.hear(), await phone.hear()
    assert (part.event, ping.event) == ("messageResponse", "ping")
    assert await receipt.wait(0) is False
    answer(phone, ping, event)

    assert await receipt.wait(30) is True


async def test_an_answer_to_another_ping_confirms_nothing(server: BotServer):
    phone, connection = await greet(server)
    connection.ping()
    other = await phone.hear()

    receipt = await connection.send_text("방", "1", "안녕")
    await phone.hear()
    ping = await phone.hear()
    answer(phone, other)
    phone.say("pong", {"bot_name": "LOA.i", "monitoring": {"heard": 1}})
    await until(lambda: server.clients.find_client(phone.address).monitoring == {"heard": 1})

    assert await receipt.wait(0) is False
    answer(phone, ping)
    assert await receipt.wait(30) is True


async def test_no_two_pings_of_a_connection_say_the_same_moment(server: BotServer):
    phone, connection = await greet(server)

    for _ in range(50):
        connection.ping()
    moments = [(await phone.hear()).data["server_timestamp"] for _ in range(50)]

    assert moments == sorted(set(moments))


async def test_a_ping_behind_a_part_is_not_left_out_because_the_phone_does_not_read(server: BotServer):
    phone, _, sending = await send_what_is_not_read(server)

    heard = await hear_two_lines(phone)

    assert (await sending) is not None
    assert b'"room":"PING"' in heard


async def test_a_part_that_has_begun_takes_its_ping_along_also_when_another_takes_the_route(server: BotServer):
    """Two writes could be parted: then nobody would ever hear of the part, and it would count as not begun."""
    phone, connection, sending = await send_what_is_not_read(server)

    connection.drop_route()
    heard = await hear_two_lines(phone)

    assert b'"room":"PING"' in heard
    assert await (await sending).wait(0) is False, "it is owed, and not taken for one that never began"


async def send_what_is_not_read(server: BotServer) -> tuple[Phone, Connection, "asyncio.Task[Receipt]"]:
    """A picture is under way to a phone whose system takes next to nothing until it is read."""
    phone = await Phone.call(server, receive_buffer=4096)
    phone.say("handshake", dict(WHO))
    await phone.hear()
    connection = server.find("LOA.i")
    sending = asyncio.create_task(connection.send_images("1", "방", [bytes(8 * MEGABYTE)], "jpg", 0))
    await until(lambda: connection.lines.is_backed_up)
    return phone, connection, sending


async def hear_two_lines(phone: Phone) -> bytes:
    """What came last of a part and of the ping behind it."""
    heard, lines = b"", 0
    async with asyncio.timeout(30):
        while lines < 2:
            heard = await phone.reader.read(2**20)
            lines += heard.count(b"\n")
    return heard


async def test_at_most_one_part_is_ahead_of_what_the_phone_has_handled(server: BotServer):
    phone, connection = await greet(server)
    written: list[str] = []

    async def send(text: str) -> None:
        async with connection.turn():
            receipt = await connection.send_text("방", "1", text)
            written.append(text)
            await receipt.wait(None)

    sends = [asyncio.create_task(send(text)) for text in ("하나", "둘", "셋")]
    for number, text in enumerate(("하나", "둘", "셋"), start=1):
        part, ping = await phone.hear(), await phone.hear()
        assert part.parts == [text.encode()]
        assert len(written) == number, "nobody has written ahead"
        answer(phone, ping)
    await asyncio.gather(*sends)


async def test_what_somebody_gave_up_waiting_for_is_waited_for_by_the_next(server: BotServer):
    phone, connection = await greet(server)
    async with connection.turn():
        await connection.send_text("방", "1", "하나")
    await phone.hear()
    ping = await phone.hear()

    following = asyncio.create_task(_send_next(connection))
    connection.ping()
    assert (await phone.hear()).event == "ping", "and no part before it"
    assert not following.done()
    answer(phone, ping)

    assert (await phone.hear()).parts == ["둘".encode()]
    await following


async def _send_next(connection: Connection) -> Receipt:
    async with connection.turn():
        return await connection.send_text("방", "1", "둘")


@pytest.mark.parametrize(("media_wait", "seconds"), [(None, 60), (8000, 69.2)])
async def test_who_does_not_answer_by_its_own_time_and_a_minute_more_is_closed_and_nobody_knows(
    server: BotServer, clock: Clock, media_wait: int | None, seconds: float
):
    phone, connection = await greet(server)
    if media_wait is None:
        receipt = await connection.send_text("방", "1", "안녕")
    else:
        receipt = await connection.send_images("1", "방", [b"GIF89a"], "gif", media_wait)
    await phone.hear()
    await phone.hear()

    clock.at += seconds - 0.1
    await server.sweep()
    assert await receipt.wait(0) is False
    clock.at += 0.2
    await server.sweep()

    with pytest.raises(NoReceipt):
        await receipt.wait(30)
    while (said := await phone.hear()).event == "ping":
        pass
    assert (said.event, said.data["reason"]) == ("error", "no_receipt")
    assert await phone.is_hung_up_on()


async def test_a_phone_that_takes_its_time_over_a_text_is_not_silent_meanwhile(server: BotServer, clock: Clock):
    phone, connection = await greet(server)
    clock.at += 50
    await connection.send_text("방", "1", "안녕")

    clock.at += 30

    assert connection.is_active
    assert phone is not None


async def test_a_phone_is_busy_with_media_from_when_it_has_all_of_it(server: BotServer, clock: Clock):
    phone = await Phone.call(server, receive_buffer=4096)
    phone.say("handshake", dict(WHO))
    await phone.hear()
    connection = server.find("LOA.i")
    sending = asyncio.create_task(connection.send_images("1", "방", [bytes(8 * MEGABYTE)], "jpg", 8000))
    await until(lambda: connection.lines.is_backed_up)

    clock.at += 30
    while not sending.done():
        await phone.reader.read(2**20)
    clock.at += 9.2 + 59

    assert connection.is_active


async def test_when_the_connection_ends_what_was_not_answered_is_known_by_nobody(server: BotServer):
    phone, connection = await greet(server)
    receipt = await connection.send_text("방", "1", "안녕")
    await phone.hear()

    phone.hang_up()

    with pytest.raises(BotGone) as caught:
        await receipt.wait(30)
    assert caught.value.began
