"""Servers that share a Kafka's partitions, and one that must sign in: the mock cluster behind a door of ours."""

import json
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from confluent_kafka import Producer

from pabal.base.database import Database
from pabal.platform.broker import BrokerAway
from pabal.platform.broker.incoming import Intake
from pabal.platform.broker.kafka_line import KafkaLine
from pabal.platform.broker.line import Incoming, Wish
from tests.platform.broker.other_side import EVENTS, HANDLERS, WISH, an_event, kept, poured
from tests.platform.broker.test_kafka import tls
from tests.support.kafka import Kafka, client, kafka, mock_kafka
from tests.support.kafka_gate import KafkaGate, open_gate
from tests.support.servers import until

pytestmark = [pytest.mark.slow, pytest.mark.beside]
__all__ = ["kafka", "tls"]


class Watched(KafkaLine):
    """Remembers which partitions its messages came from."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.partitions: set[str] = set()

    async def take(self, wish: Wish, *, wait: float) -> Incoming | None:
        found = await super().take(wish, wait=wait)
        if found is not None:
            self.partitions.add(found.place.split(":")[1])
        return found


class Server:
    def __init__(self, db: Database, url: str) -> None:
        self.line = Watched(url)
        self._intake = Intake(db, self.line, HANDLERS)

    async def work(self) -> None:
        try:
            await self._intake.take_once(WISH, wait=0.02)
        except BrokerAway:
            return  # as its loop: opened again


def say(kafka: Kafka, *numbers: int) -> None:
    """In turn over all partitions."""
    producer = Producer(client(kafka))
    for number in numbers:
        producer.produce(EVENTS, json.dumps(an_event(number)), partition=number % 4)
    assert producer.flush(20) == 0


async def settled(db: Database) -> int:
    return len(await kept(db))


@pytest.fixture
async def gate(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Kafka, KafkaGate]]:
    """Three brokers would each need a door of its own: one has all partitions."""
    monkeypatch.setattr("pabal.platform.broker.kafka_line.SESSION_MS", 3000)
    async with AsyncExitStack() as stack:
        found = stack.enter_context(mock_kafka())
        yield found, await stack.enter_async_context(open_gate(found))


@pytest.mark.req("E-11", "D-39")
async def test_two_servers_share_the_partitions_and_one_takes_over_what_the_other_leaves(
    db: Database, gate: tuple[Kafka, KafkaGate]
):
    kafka, door = gate
    first, second = Server(db, f"kafka://{door.address}"), Server(db, f"kafka://{door.address}")
    servers, numbers = [first, second], iter(range(10_000))

    async def both_have_some() -> bool:
        """Says a little more and lets both work, until each of the four partitions has one of them."""
        for one in servers:
            one.line.partitions.clear()
        before = await settled(db)
        given = [next(numbers) for _ in range(8)]
        say(kafka, *given)

        async def are_done() -> bool:
            for one in servers:
                await one.work()
            return await settled(db) == before + len(given)

        await until(are_done)
        halves = [one.line.partitions for one in servers]
        return all(halves) and not halves[0] & halves[1] and len(halves[0] | halves[1]) == 4

    await until(both_have_some)
    await first.line.close()
    servers.remove(first)
    before = await settled(db)
    say(kafka, *(next(numbers) for _ in range(8)))

    async def has_the_rest() -> bool:
        await second.work()
        return await settled(db) == before + 8

    second.line.partitions.clear()
    await until(has_the_rest)

    assert second.line.partitions == {"0", "1", "2", "3"}
    found = await poured(db)
    assert sorted(found) == sorted({f"evt-{number}" for number in range(next(numbers))}), "each one effect"
    await second.line.close()


@pytest.mark.parametrize(("sasl", "secret"), [("plain", "p@ss"), ("scram-sha-256", "p@ss"), ("scram-sha-512", "p@ss")])
async def test_events_come_through_tls_and_a_password(
    db: Database, kafka: Kafka, tls: tuple[ssl.SSLContext, str], sasl: str, secret: str
):
    context, authority = tls
    async with open_gate(kafka, users={"kim": secret}, tls=context) as door:
        url = f"kafkas://kim:p%40ss@{door.address}?sasl={sasl}&ca={authority}"
        server = Server(db, url)
        say(kafka, 1, 2)

        async def are_in() -> bool:
            await server.work()
            return await settled(db) == 2

        await until(are_in)
        await server.line.close()

    assert sorted(await poured(db)) == ["evt-1", "evt-2"]
    assert (secret.encode() in b" ".join(door.seen)) == (sasl == "plain"), "only PLAIN shows it to the broker"


async def test_a_wrong_password_is_refused_and_not_repeated_to_anybody(db: Database, kafka: Kafka):
    async with open_gate(kafka, users={"kim": "right"}) as door:
        line = KafkaLine(f"kafka://kim:wrong-secret@{door.address}?sasl=scram-sha-512")

        with pytest.raises(BrokerAway) as refused:
            await line.take(WISH, wait=0.05)
        await line.close()

    assert door.seen
    assert "wrong-secret" not in str(refused.value)


async def test_a_line_that_must_sign_in_refuses_a_broker_that_asks_for_nothing(db: Database, kafka: Kafka):
    """The mock knows no SASL: nothing is sent to it but the question."""
    line = KafkaLine(f"kafka://kim:secret@{kafka.address}?sasl=plain")

    with pytest.raises(BrokerAway) as refused:
        await line.take(WISH, wait=0.05)

    assert "secret" not in str(refused.value)
    await line.close()
