"""The demo of messaging: three bots, one of them away, eight rooms, twelve schedules, two weeks behind them.

Its modules are imported when a demo is filled in: other servers need neither pictures drawn nor simulated bots.
"""

from contextlib import AbstractAsyncContextManager

from pabal.base.database import Tx
from pabal.platform.services import Services
from pabal.platform.slice import Demo


async def load(tx: Tx) -> None:
    from pabal.apps.messaging.demo import filling

    await filling.load(tx)


async def clear(tx: Tx) -> None:
    from pabal.apps.messaging.demo import filling

    await filling.clear(tx)


async def paint(services: Services) -> None:
    from pabal.apps.messaging.demo import filling

    await filling.paint(services)


def phones(services: Services) -> list[AbstractAsyncContextManager[object]]:
    from pabal.apps.messaging.demo import filling

    return filling.make_phones(services)


DEMO = Demo(load=load, clear=clear, after=paint)
