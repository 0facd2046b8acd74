"""The bridge at a Kafka: librdkafka's mock cluster speaks the protocol, and its own clients are the other side."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from faststream.kafka.security import parse_security

from pabal.base.database import Database
from pabal.platform.broker import BadBrokerUrl, Bridge, BrokerAway, kafka_line
from pabal.platform.broker.incoming import Intake
from pabal.platform.broker.kafka_line import KafkaAddress, KafkaLine
from pabal.platform.broker.line import open_line
from pabal.platform.broker.outgoing import publish_once
from tests.platform.broker.other_side import EVENTS, FACTS, HANDLERS, WISH, an_event, kept, poured, record
from tests.support.kafka import Kafka, client, kafka, mock_kafka
from tests.support.servers import until

pytestmark = [pytest.mark.slow, pytest.mark.beside]
__all__ = ["kafka"]


def say(kafka: Kafka, *numbers: int) -> None:
    """Each to the partition of its key."""
    producer = Producer(client(kafka))
    for number in numbers:
        producer.produce(EVENTS, json.dumps(an_event(number)), key=f"cup:{number}")
    assert producer.flush(20) == 0


def hear(kafka: Kafka, count: int) -> list[Any]:
    consumer = Consumer(client(kafka, **{"group.id": "other", "auto.offset.reset": "earliest"}))
    consumer.subscribe([FACTS])
    found: list[Any] = []
    for _ in range(300):
        message = consumer.poll(0.1)
        if message is not None and message.error() is None:
            found.append(message)
        if len(found) == count:
            break
    consumer.close()
    return found


@pytest.fixture
async def line(kafka: Kafka) -> AsyncIterator[KafkaLine]:
    made = KafkaLine(kafka.url)
    yield made
    await made.close()


def others() -> list[str]:
    """What runs besides the test: of a line that is closed, nothing."""
    return [str(task.get_coro()) for task in asyncio.all_tasks() if task is not asyncio.current_task()]


@pytest.mark.req("E-11", "D-39")
async def test_facts_go_out_to_kafka_and_events_come_in_with_one_effect(db: Database, kafka: Kafka, line: KafkaLine):
    await publish_once(db, line, server="a")  # from now on
    await record(db, 1, 2, 3)
    say(kafka, 1, 2, 1)  # one comes twice
    intake = Intake(db, line, HANDLERS)

    assert await publish_once(db, line, server="a") == 3
    await until(lambda: _is_done(db, intake, 3))

    heard = await asyncio.to_thread(hear, kafka, 3)
    assert sorted(json.loads(one.value())["data"]["number"] for one in heard) == [1, 2, 3]
    assert {one.key() for one in heard} == {b"adgroup:0", b"adgroup:1"}
    assert sorted(await poured(db)) == ["evt-1", "evt-2"]
    assert sorted((one.id, one.duplicates) for one in await kept(db)) == [("evt-1", 1), ("evt-2", 0)]


async def _is_done(db: Database, intake: Intake, count: int) -> bool:
    """Takes what there is, until so many messages are settled."""
    await intake.take_once(WISH, wait=0.05)
    return sum(1 + one.duplicates for one in await kept(db)) >= count


@pytest.mark.req("E-11")
async def test_a_line_that_closes_leaves_its_group_and_nothing_behind(db: Database, kafka: Kafka):
    first, second = KafkaLine(kafka.url), KafkaLine(kafka.url)
    say(kafka, 1)
    before = others()
    await until(lambda: _is_done(db, Intake(db, first, HANDLERS), 1))

    await first.close()

    assert others() == before
    say(kafka, *range(2, 10))  # over all partitions, of which the first held every one
    intake = Intake(db, second, HANDLERS)
    await until(lambda: _is_done(db, intake, 9))
    assert sorted(await poured(db)) == sorted(f"evt-{number}" for number in range(1, 10))
    await second.close()
    assert others() == before


async def test_a_message_that_was_not_acknowledged_comes_again(db: Database, kafka: Kafka):
    first, second = KafkaLine(kafka.url), KafkaLine(kafka.url)
    say(kafka, 1)

    async def take(line: KafkaLine) -> bool:
        return await line.take(WISH, wait=0.05) is not None

    await until(lambda: take(first))
    await first.close()

    await until(lambda: take(second))
    await second.close()


@pytest.mark.req("E-11")
async def test_a_hung_broker_is_away_and_when_it_goes_on_so_do_events(
    db: Database, kafka: Kafka, monkeypatch: pytest.MonkeyPatch
):
    before = others()
    line = KafkaLine(kafka.url)
    say(kafka, 1)
    intake = Intake(db, line, HANDLERS)
    await until(lambda: _is_done(db, intake, 1))
    for name, value in {"ANSWER_SECONDS": 0.5, "CLOSE_SECONDS": 0.3, "PROBE_SECONDS": 0.1}.items():
        monkeypatch.setattr(kafka_line, name, value)
    kafka.hang()

    with pytest.raises(BrokerAway):
        await until(lambda: intake.take_once(WISH, wait=0.05))

    assert others() == before  # closed, although nobody answered the goodbye
    with pytest.raises(BrokerAway):
        await line.take(WISH, wait=0.05)
    kafka.go_on()
    monkeypatch.setattr(kafka_line, "ANSWER_SECONDS", 10.0)
    say(kafka, 2)

    async def has_both() -> bool:
        try:
            return await _is_done(db, intake, 2)
        except BrokerAway:
            return False

    await until(has_both)
    assert await poured(db) == ["evt-1", "evt-2"]
    await line.close()
    assert others() == before


async def test_a_bridge_says_that_its_kafka_is_gone(db: Database, monkeypatch: pytest.MonkeyPatch):
    with mock_kafka() as kafka:
        bridge = Bridge(db, lambda: open_line(kafka.url), HANDLERS, server="s1", host="h1")
        await bridge.publish_once()
        await record(db, 1)
        await until(bridge.publish_once)

    await record(db, 2)
    for name in ("ANSWER_SECONDS", "CLOSE_SECONDS"):
        monkeypatch.setattr(kafka_line, name, 0.3)
    assert await bridge.publish_once() == 0
    await bridge.close()


def test_an_address_says_how_to_sign_in():
    def read(url: str) -> tuple[Any, ...]:
        address = KafkaAddress.read(url)
        said = parse_security(address.security)
        named = [said.get(f"sasl_{name}") for name in ("mechanism", "plain_username", "plain_password")]
        return address.servers, said.get("security_protocol"), *named

    assert read("kafka://a:1,b:2") == (("a:1", "b:2"), None, None, None, None)
    assert read("kafkas://a:1")[1] == "SSL"
    assert read("kafka://kim:p%40ss@a:1?sasl=plain")[1:] == ("SASL_PLAINTEXT", "PLAIN", "kim", "p@ss")
    assert read("kafkas://kim:x@a:1?sasl=scram-sha-256")[1:3] == ("SASL_SSL", "SCRAM-SHA-256")
    assert read("kafkas://kim:x@a:1")[1:3] == ("SASL_SSL", "SCRAM-SHA-512")


@pytest.mark.parametrize(
    "url",
    [
        "kafka://kim:secret@a:1?sasl=gssapi",
        "kafka://kim:secret@",
        "kafkas://kim:secret@a:1?ca=/nowhere.pem",
        "kafka://kim:secret@a:1?ca=x",
        "kafka://a:1?sasl=plain",
        "kafka://kim:secret@a:1/topic",
    ],
)
def test_an_address_that_cannot_be_meant_is_refused_without_its_password(url: str):
    with pytest.raises(BadBrokerUrl) as refused:
        open_line(url)

    assert "secret" not in str(refused.value)


@pytest.fixture
def tls(tmp_path: Path) -> tuple[ssl.SSLContext, str]:
    """Of a server at 127.0.0.1, and the authority that vouches for it: itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kafka")])
    now = datetime(2020, 1, 1, tzinfo=UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now.replace(year=2090))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, form = tmp_path / "kafka.pem", serialization.PrivateFormat.PKCS8
    private = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    pem.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pem)
    return context, str(pem)


async def test_a_line_with_tls_speaks_tls_and_asks_who_is_there(tls: tuple[ssl.SSLContext, str]):
    """No mock cluster has TLS: what is shown is the handshake, and Kafka's first words behind it."""
    context, authority = tls
    words: list[bytes] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        words.append(await reader.read(1000))
        writer.close()

    server = await asyncio.start_server(listen, "127.0.0.1", ssl=context)
    port = server.sockets[0].getsockname()[1]
    trusting, strange = KafkaLine(f"kafkas://127.0.0.1:{port}?ca={authority}"), KafkaLine(f"kafkas://127.0.0.1:{port}")

    for line in (strange, trusting):
        with pytest.raises(BrokerAway):
            await line.take(WISH, wait=0.05)
        await line.close()
    server.close()

    assert [b"pabal" in word for word in words] == [True]
