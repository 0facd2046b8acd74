"""An S3 server for tests: moto in a process of its own, which can be killed; what was in it is gone then."""

import http.client
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from subprocess import DEVNULL, Popen
from typing import Any

import boto3
from botocore.config import Config

from pabal.platform.storage import Files, read_address
from tests.support.ports import free_port

KEY, SECRET, BUCKET = "AKIDTESTS", "a secret/with+signs", "pabal"
_WRITTEN = "a%20secret%2Fwith%2Bsigns"


@dataclass
class ObjectServer:
    port: int
    process: Popen[bytes]

    @property
    def address(self) -> str:
        return f"s3://{KEY}:{_WRITTEN}@127.0.0.1:{self.port}/{BUCKET}?region=ap-northeast-2&tls=none"

    def files(self, *also: Files) -> Files:
        return Files(read_address(self.address), also)

    @property
    def client(self) -> Any:
        """Somebody else's client, to see what is really there."""
        return boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{self.port}",
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
            region_name="ap-northeast-2",
            config=Config(retries={"max_attempts": 10}, connect_timeout=2),
        )

    def list_keys(self) -> list[str]:
        return [one["Key"] for one in self.client.list_objects_v2(Bucket=BUCKET).get("Contents", [])]

    def make_bucket(self) -> None:
        self.client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "ap-northeast-2"})

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """At the same port, with nothing in it."""
        self.process = _start(self.port)
        _wait(self.port)
        self.make_bucket()


@contextmanager
def object_server() -> Iterator[ObjectServer]:
    port = free_port()
    server = ObjectServer(port, _start(port))
    try:
        _wait(port)
        server.make_bucket()
        yield server
    finally:
        server.kill()


def _start(port: int) -> Popen[bytes]:
    line = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    return Popen(line, stdout=DEVNULL, stderr=DEVNULL)


def _wait(port: int) -> None:
    """Until it answers."""
    for _ in range(300):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/moto-api/data.json")
            connection.getresponse().read()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("moto did not start")
