"""Redis Streams as the other side of events: the same processes and batches; nothing of ours but the clock."""

import json
from typing import Any

import uvloop
from redis.asyncio import Redis

from bench.peers.words import PAYLOAD, main, say, wait_for_word
from pabal.base.clock import elapsed

STREAM = "bench.events"
DATA = {"text": PAYLOAD}


async def install(url: str, consumers: float) -> dict[str, Any]:
    client = Redis.from_url(url)
    for number in range(int(consumers)):
        await client.xgroup_create(STREAM, f"bench-{number}", id="0", mkstream=True)
    await client.aclose()
    return {"unit": 0}


async def produce(url: str, count: float, batch: float, _unit: float) -> dict[str, Any]:
    client = Redis.from_url(url, single_connection_client=True)
    await client.ping()
    await wait_for_word()
    began = elapsed()
    for first in range(0, int(count), int(batch)):
        pipeline = client.pipeline(transaction=False)
        for number in range(first, min(first + int(batch), int(count))):
            body = {"id": f"e-{number}", "name": "bench.done", "key": f"key:{number}", "data": DATA}
            pipeline.xadd(STREAM, {"__data__": json.dumps(body)})
        await pipeline.execute()
    seconds = elapsed() - began
    await client.aclose()
    return {"seconds": seconds}


async def consume(url: str, number: float, count: float, batch: float) -> dict[str, Any]:
    client = Redis.from_url(url, single_connection_client=True)
    group = f"bench-{int(number)}"
    await client.ping()
    await wait_for_word()
    taken = batches = 0
    while taken < count:
        found = await client.xreadgroup(group, "one", {STREAM: ">"}, count=int(batch), block=1000)
        if found:
            messages = found[0][1]
            for _, fields in messages:
                json.loads(fields[b"__data__"])
            await client.xack(STREAM, group, *(place for place, _ in messages))
            taken, batches = taken + len(messages), batches + 1
    say(finished=True)
    await client.aclose()
    return {"taken": taken, "batches": batches}


if __name__ == "__main__":
    main({"install": install, "produce": produce, "consume": consume}, uvloop.run)
