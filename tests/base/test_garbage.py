"""In a process of its own: this one has left out what it loaded at its start."""

import subprocess
import sys

PROGRAM = """
import asyncio, gc
from pabal.base import garbage

garbage.LATER = (0.0,)

def is_looked_at(thing):
    return any(one is thing for one in gc.get_objects())

async def main():
    early = [[]]
    assert garbage.settle(asyncio.get_running_loop()) == gc.get_freeze_count() > 1000
    late = [[]]
    print(is_looked_at(early), is_looked_at(late))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    print(is_looked_at(late), is_looked_at([[]]))

asyncio.run(main())
"""


def test_what_is_there_when_a_server_is_ready_is_not_looked_at_again_and_later_what_came_meanwhile():
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)

    assert ended.stdout.splitlines() == ["False True", "False True"]
