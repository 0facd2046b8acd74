from pabal.base.database import Tx
from pabal.engine.kinds import Job, Kinds
from pabal.engine.queue import NewJob, enqueue
from pabal.platform.slice import Slice

kinds = Kinds()


@kinds.plain("hello.greet")
async def greet(job: Job) -> None:
    print(f"안녕하세요, {job.args['name']}!")


async def greet_once(tx: Tx) -> None:
    await enqueue(tx, NewJob("hello.greet", {"name": "파발"}, key="파발"))


SLICE = Slice("hello", kinds=kinds, on_start=greet_once)
