"""A Kafka on loopback: librdkafka's mock cluster speaks the real protocol, in a process that can be hung or killed.

`python -m tests.support.kafka` prints its address and lives until it is killed. What it does not have: TLS, SASL,
files; everything is gone with the process.
"""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from confluent_kafka import Producer

from tests.support.programs import PIPE, ROOT, Program, start


@dataclass(frozen=True)
class Kafka:
    address: str
    program: Program

    @property
    def url(self) -> str:
        return f"kafka://{self.address}"

    def hang(self) -> None:
        """It keeps its sockets and answers nothing."""
        self.program.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.program.send_signal(signal.SIGCONT)


@contextmanager
def mock_kafka() -> Iterator[Kafka]:
    program = start("tests.support.kafka", cwd=ROOT, env=os.environ, stdout=PIPE)
    try:
        assert program.stdout is not None
        yield Kafka(json.loads(program.stdout.readline())["address"], program)
    finally:
        program.send_signal(signal.SIGCONT)
        program.kill()
        program.communicate()


@pytest.fixture
def kafka() -> Iterator[Kafka]:
    with mock_kafka() as found:
        yield found


def client(kafka: Kafka, **more: Any) -> dict[str, Any]:
    """For librdkafka's own clients: another system at the same broker, with nothing of ours."""
    return {"bootstrap.servers": kafka.address, "socket.timeout.ms": 5000, **more}


def live() -> None:
    producer = Producer({"bootstrap.servers": "none:1", "test.mock.num.brokers": 1, "log_level": 0})
    [broker] = producer.list_topics(timeout=20).brokers.values()
    print(json.dumps({"address": f"{broker.host}:{broker.port}"}), flush=True)
    signal.pause()


if __name__ == "__main__":
    live()
    sys.exit(0)
