import asyncio
import socket
import sys

from pabal.platform.notifications.simulator import Simulator
from tests.support.servers import CEILING


async def test_two_simulators_have_addresses_of_their_own_and_give_them_back():
    async with Simulator() as one, Simulator() as other:
        assert one.url != other.url
        port = int(one.url.rpartition(":")[2])

    socket.create_server(("127.0.0.1", port)).close()


async def test_it_runs_as_a_program_that_says_where_it_is_and_ends_when_told():
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pabal.platform.notifications.simulator", "0", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None

    async with asyncio.timeout(CEILING):
        said = (await process.stdout.readline()).decode()
    process.terminate()
    async with asyncio.timeout(CEILING):
        await process.communicate()

    assert "PABAL_TELEGRAM_URL=http://127.0.0.1:" in said
