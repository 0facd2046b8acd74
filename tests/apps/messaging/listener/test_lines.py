import asyncio

import pytest

from pabal.apps.messaging.errors import BotGone
from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.listener.server import BotServer
from tests.apps.messaging.listener.phones import WHO, Clock, MemoryKeeper, Phone, chat, packet, until

MEGABYTE = 1024 * 1024


async def test_frames_that_come_byte_by_byte_are_whole_in_the_end(server: BotServer, keeper: MemoryKeeper):
    phone = await Phone.call(server)

    for byte in packet("handshake", dict(WHO)) + chat("천천히"):
        phone.write(bytes([byte]))
        await phone.writer.drain()
        await asyncio.sleep(0)

    await until(lambda: keeper.chats)
    assert keeper.chats[0].text == "천천히"


async def test_a_frame_cut_by_hanging_up_is_nothing(server: BotServer, keeper: MemoryKeeper):
    phone = await Phone.greet(server)

    phone.write(chat("하나") + chat("반쪽")[:-1])
    phone.hang_up()

    await until(lambda: keeper.calls("close"))
    assert [one.text for one in keeper.chats] == ["하나"]


async def test_who_begins_a_line_and_does_not_end_it_is_refused(server: BotServer, clock: Clock, keeper: MemoryKeeper):
    phone = await Phone.greet(server)
    phone.write(chat("하나") + b'{"event":"mess')
    await until(lambda: keeper.chats and server.connections[0].lines.half_since)

    clock.at += 30
    phone.write(b"age")
    await server.sweep()

    heard = await phone.hear()
    assert (heard.event, heard.data["reason"]) == ("error", "slow")


async def test_each_line_has_its_own_time(server: BotServer, clock: Clock, keeper: MemoryKeeper):
    phone = await Phone.greet(server)
    phone.write(chat("하나")[:20])
    await until(lambda: server.connections[0].lines.half_since)
    clock.at += 29
    phone.write(chat("하나")[20:] + chat("둘")[:20])
    await until(lambda: keeper.chats)

    clock.at += 29
    await server.sweep()
    phone.write(chat("둘")[20:])

    await until(lambda: len(keeper.chats) == 2)
    assert [one.text for one in keeper.chats] == ["하나", "둘"]


async def test_packets_arrive_whole_and_in_the_order_they_were_sent(server: BotServer):
    phone = await Phone.greet(server)
    connection = server.find("LOA.i")
    pictures = [bytes([n]) * 900_000 for n in range(3)]

    sends = [
        connection.send_images("1", "방", pictures, "jpg", 0),
        *(connection.send_text("방", "1", str(n)) for n in range(20)),
    ]
    sent = asyncio.gather(*sends)
    heard = [await phone.hear_part() for _ in sends]

    await sent
    assert heard[0].parts == pictures
    assert [one.parts for one in heard[1:]] == [[str(n).encode()] for n in range(20)]


async def test_a_bot_that_left_before_a_byte_was_sent_cannot_have_received_anything(
    server: BotServer, keeper: MemoryKeeper
):
    phone = await Phone.greet(server)
    connection = server.find("LOA.i")
    phone.hang_up()
    await until(lambda: keeper.calls("close"))

    with pytest.raises(BotGone) as caught:
        await connection.send_text("방", "1", "늦었다")

    assert caught.value.began is False


async def test_a_packet_cut_in_the_middle_says_so_and_those_behind_it_have_not_begun(
    server: BotServer,
):
    phone, connection = await deaf_phone(server)

    cut = asyncio.create_task(connection.send_images("1", "방", [bytes(8 * MEGABYTE)], "jpg", 0))
    behind = asyncio.create_task(connection.send_text("방", "1", "뒤에"))
    await until(lambda: connection.lines.is_backed_up)
    phone.writer.transport.abort()

    ends = await asyncio.gather(cut, behind, return_exceptions=True)
    assert [type(end) for end in ends] == [BotGone, BotGone]
    assert [end.began for end in ends] == [True, False]


async def test_what_waits_to_be_sent_when_the_route_is_lost_is_not_sent(server: BotServer):
    phone, connection = await deaf_phone(server)
    first = asyncio.create_task(connection.send_images("1", "방", [bytes(8 * MEGABYTE)], "jpg", 0))
    await until(lambda: connection.lines.is_backed_up)
    second = asyncio.create_task(connection.send_text("방", "1", "늦었다"))
    await asyncio.sleep(0)

    connection.drop_route()

    async with asyncio.timeout(30):
        while not first.done():
            await phone.reader.read(2**20)
    with pytest.raises(BotGone) as caught:
        await second
    assert caught.value.began is False


async def test_who_gives_up_waiting_leaves_the_next_packet_unbegun(server: BotServer):
    phone, connection = await deaf_phone(server)
    first = asyncio.create_task(connection.send_images("1", "방", [bytes(8 * MEGABYTE)], "jpg", 0))
    await until(lambda: connection.lines.is_backed_up)

    first.cancel()
    second = asyncio.create_task(connection.send_text("방", "1", "다음"))
    await asyncio.wait([first])
    phone.writer.transport.abort()

    with pytest.raises(BotGone) as caught:
        await second
    assert caught.value.began is False


async def test_what_counts_as_sent_is_out_of_our_hands(server: BotServer):
    phone, connection = await deaf_phone(server)
    sent = []

    async def send_on() -> None:
        while True:
            await connection.send_text("방", "1", "x" * 20_000)
            sent.append(1)

    sending = asyncio.create_task(send_on())
    await until(lambda: connection.lines.is_backed_up)
    connection.lines.abort()

    with pytest.raises(BotGone):
        await sending
    async with asyncio.timeout(30):
        arrived = await phone.reader.read()
    assert arrived.count(b"\n") >= len(sent) > 0


async def test_a_bot_that_does_not_read_gets_no_heap_of_pings(server: BotServer, clock: Clock):
    phone, connection = await deaf_phone(server)
    stuck = asyncio.create_task(connection.send_images("1", "방", [bytes(8 * MEGABYTE)], "jpg", 0))
    await until(lambda: connection.lines.is_backed_up)

    for _ in range(10):
        clock.at += 30
        await server.sweep()
    last = asyncio.create_task(connection.send_text("방", "1", "표시"))

    lines = 0
    async with asyncio.timeout(30):
        while not last.done() or lines < 4:
            lines += (await phone.reader.read(2**20)).count(b"\n")
    await stuck
    connection.ping()
    await connection.send_text("방", "1", "끝")
    assert lines == 4, "each of the two with the ping behind it"
    assert [(await phone.hear()).event for _ in "12"] == ["ping", "messageResponse"]


async def test_a_phone_that_talks_faster_than_it_is_heard_has_to_wait(server: BotServer, keeper: MemoryKeeper):
    slow = await Phone.greet(server, botName="slow", deviceID="slow")
    quick = await Phone.greet(server, botName="quick", deviceID="quick")
    connection = server.find("slow")
    go_on = asyncio.Event()

    async def hold(name: str, connection: Connection) -> None:
        if connection.bot_name == "slow":
            await go_on.wait()

    keeper.before = hold
    slow.write(chat("x" * 600_000) * 30)
    await until(lambda: connection.lines.is_paused)
    for n in range(100):
        quick.chat("빠름")
        await until(lambda heard=n: len(keeper.chats) > heard)

    assert slow.writer.transport.get_write_buffer_size() > 0
    go_on.set()
    await until(lambda: len(keeper.chats) == 130)


async def deaf_phone(server: BotServer) -> tuple[Phone, Connection]:
    """Takes so little at a time that a big packet gets stuck."""
    phone = await Phone.call(server, receive_buffer=4096)
    phone.say("handshake", dict(WHO))
    await phone.hear()
    return phone, server.find("LOA.i")
