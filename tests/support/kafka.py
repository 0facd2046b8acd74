"""A Kafka on loopback: librdkafka's mock cluster speaks the real protocol, in a process that can be hung or killed.

`python -m tests.support.kafka` prints its address and lives until it is killed. What it does not have: TLS, SASL,
files; everything is gone with the process.
"""

import ctypes
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import confluent_kafka
import pytest

from tests.support.programs import PIPE, ROOT, Program, start

PRODUCER = 0
MEET_MS = 50


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
    print(json.dumps({"address": _begin_cluster()}), flush=True)
    signal.pause()


def _begin_cluster() -> str:
    """As `test.mock.num.brokers` would, whose groups wait three seconds for more members before they meet."""
    library = _load_librdkafka()
    kafka = library.rd_kafka_new(PRODUCER, None, None, ctypes.c_size_t(0))
    cluster = ctypes.c_void_p(library.rd_kafka_mock_cluster_new(ctypes.c_void_p(kafka), 1))
    library.rd_kafka_mock_group_initial_rebalance_delay_ms(cluster, MEET_MS)
    address: bytes = library.rd_kafka_mock_cluster_bootstraps(cluster)
    return address.decode()


def _load_librdkafka() -> Any:
    """The one in confluent_kafka's wheel, which keeps it beside the package or in it."""
    package = Path(confluent_kafka.__file__).parent
    [found] = [*package.parent.glob("confluent_kafka.libs/librdkafka*"), *package.glob(".dylibs/librdkafka*")]
    library = ctypes.CDLL(str(found))
    library.rd_kafka_new.restype = library.rd_kafka_mock_cluster_new.restype = ctypes.c_void_p
    library.rd_kafka_mock_cluster_bootstraps.restype = ctypes.c_char_p
    return library


if __name__ == "__main__":
    live()
    sys.exit(0)
