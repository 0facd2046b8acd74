"""The demo of messaging: three bots, one of them away, eight rooms, twelve schedules, two weeks behind them."""

from pabal.apps.messaging.demo.filling import clear, load, paint
from pabal.apps.messaging.demo.phones import phones
from pabal.platform.slice import Demo

DEMO = Demo(load=load, clear=clear, after=paint)

__all__ = ["DEMO", "phones"]
