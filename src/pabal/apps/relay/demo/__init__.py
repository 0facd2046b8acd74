"""The demo of the relay: two instances, one of them too slow, three users, and a channel one can chat in.

Its modules are imported when a demo is filled in: other servers need no simulators.
"""

from contextlib import AbstractAsyncContextManager

from pabal.base.database import Tx
from pabal.platform.services import Services
from pabal.platform.slice import Demo


async def load(tx: Tx) -> None:
    from pabal.apps.relay.demo import filling

    await filling.load(tx)


async def clear(tx: Tx) -> None:
    from pabal.apps.relay.demo import filling

    await filling.clear(tx)


def channel(services: Services) -> list[AbstractAsyncContextManager[object]]:
    from pabal.apps.relay.demo.chat import DemoChannel

    return [DemoChannel(services)]


DEMO = Demo(load=load, clear=clear)
