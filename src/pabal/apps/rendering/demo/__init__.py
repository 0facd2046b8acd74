"""The demo of rendering: the sample compositions, nine jobs in all eight states, and a simulated nexrender.

Its modules are imported when a demo is filled in: other servers need no simulators.
"""

from contextlib import AbstractAsyncContextManager

from pabal.base.database import Tx
from pabal.platform.services import Services
from pabal.platform.slice import Demo


async def load(tx: Tx) -> None:
    from pabal.apps.rendering.demo import filling

    await filling.load(tx)


async def clear(tx: Tx) -> None:
    from pabal.apps.rendering.demo import filling

    await filling.clear(tx)


async def after(services: Services) -> None:
    from pabal.apps.rendering.demo import filling

    await filling.ask(services)


def farm(services: Services) -> list[AbstractAsyncContextManager[object]]:
    from pabal.apps.rendering.demo.live import DemoFarm

    return [DemoFarm(services)]


DEMO = Demo(load=load, clear=clear, after=after)
