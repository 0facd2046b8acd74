"""What a server loads for good is left out of Python's garbage collection.

A collection of the whole heap stops the event loop for 200 to 300 ms, and with it every message, page and heartbeat;
nearly all it looks at are modules, endpoints and schemas that are never garbage.
"""

import gc
from asyncio import AbstractEventLoop

# Endpoints and templates are worked out when they are first asked for: what came meanwhile is left out later.
LATER = (30.0, 300.0)


def settle(loop: AbstractEventLoop) -> int:
    """For the process of one server, once it is ready. How many objects are left out now."""
    gc.collect()
    gc.freeze()
    for seconds in LATER:
        # without a collection, which would stop everything: a little that is garbage at that moment stays for good
        loop.call_later(seconds, gc.freeze)
    return gc.get_freeze_count()
