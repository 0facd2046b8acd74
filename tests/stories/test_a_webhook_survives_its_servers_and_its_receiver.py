"""kill -9 while a webhook is under way: nothing is lost, and what came twice carries one id."""

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from subprocess import PIPE

from pabal.base.database import Database
from pabal.platform.notifications import Channel
from tests.support.outways import Outpost, open_outpost, receiving, reply
from tests.support.people import plant
from tests.support.ports import free_port
from tests.support.programs import ROOT, Program, start
from tests.support.servers import serving, until


@contextmanager
def process(*arguments: str) -> Iterator[Program]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    made = start("tests.support.out_process", *arguments, cwd=ROOT, env=environment, stdout=PIPE)
    try:
        yield made
    finally:
        made.kill()
        made.communicate()


def hear(program: Program, word: str) -> None:
    assert program.stdout is not None
    said = json.loads(next(line for line in program.stdout if line.startswith("{")))
    assert said["word"] == word


async def test_a_server_killed_while_its_receiver_thinks_is_finished_by_the_next(db: Database, tmp_path: Path):
    tree = await plant(db)
    async with receiving() as receiver, open_outpost(db, tmp_path) as outpost:
        receiver.answers = [b"", reply(200)]
        channel = await outpost.add(tree.hq, receiver.url)
        with process("server", db.url, str(tmp_path)) as server:
            hear(server, "serving")
            await outpost.notify()
            await until(lambda: len(receiver.hits) == 1)
            server.kill()
            server.wait()
        async with serving(db, outpost.parts.kinds, tmp_path / "locks"):
            await until(lambda: len(receiver.hits) == 2)
            await until(lambda: _is_sent(outpost, channel))

    first, second = receiver.hits
    assert (first.id, first.body) == (second.id, second.body)


async def test_a_receiver_killed_before_it_answers_gets_it_again_when_it_is_back(db: Database, tmp_path: Path):
    tree = await plant(db)
    port = free_port()
    async with open_outpost(db, tmp_path) as outpost:
        channel = await outpost.add(tree.hq, f"http://127.0.0.1:{port}/hook")
        async with serving(db, outpost.parts.kinds, tmp_path / "locks"):
            with process("receiver", str(port)) as dead:
                hear(dead, "receiving")
                await outpost.notify()
                await asyncio.to_thread(hear, dead, "taken")
                dead.kill()
                dead.wait()
            await until(lambda: _has_failed(outpost, channel))
        async with receiving(port) as receiver:
            await outpost.run(over=timedelta(minutes=2))

    [delivery] = await outpost.deliveries(channel)
    [hit] = receiver.hits
    assert (delivery.result, hit.headers["pabal-attempt"]) == ("sent", str(delivery.attempts))
    assert delivery.attempts >= 2


async def _is_sent(outpost: Outpost, channel: Channel) -> bool:
    return [one.result for one in await outpost.deliveries(channel)] == ["sent"]


async def _has_failed(outpost: Outpost, channel: Channel) -> bool:
    return (await outpost.get(channel)).failures > 0
