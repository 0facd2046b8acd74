"""Twenty large pictures posted at once: how much memory the server needs to check them and make them small."""

import asyncio
import io
import os
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

import httpx2
from PIL import Image

from bench.ground import Ground
from bench.messaging_ground import EVERY, MESSAGING, MessagingGround, laid, read_memory
from bench.result import Measured, Target
from pabal.platform import auth
from pabal.platform.actor import ENGINE, EVERYTHING, Role
from pabal.platform.auth import NewToken

PATH = "/api/v1/messages/images"
MB = 1024 * 1024
# At which noise of 4000×3000 comes just below the 10 MB a picture may have.
QUALITY = 89


@dataclass(frozen=True)
class Sizes:
    pictures: int = 20
    width: int = 4000
    height: int = 3000
    rest_seconds: float = 10


SMALL = Sizes(pictures=2, width=400, height=300, rest_seconds=0.2)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    pictures = [_draw(sizes) for _ in range(sizes.pictures)]
    async with ground.fresh() as url, laid(url) as house, AsyncExitStack() as stack:
        server = await stack.enter_async_context(MESSAGING.start("serve", url, house.folder, EVERY))
        said = await server.line()
        headers = {"Authorization": f"Bearer {await _make_token(house)}"}
        client = httpx2.AsyncClient(base_url=said["address"], headers=headers, timeout=300, trust_env=False)
        await stack.enter_async_context(client)
        await asyncio.sleep(sizes.rest_seconds)
        idle = read_memory(said["pid"], "VmRSS")
        _forget_peak(said["pid"])
        await asyncio.gather(*(_post(client, content) for content in pictures))
        peak, left = read_memory(said["pid"], "VmHWM"), read_memory(said["pid"], "VmRSS")
    fields = {"peak_mb": (peak - idle) / MB, "idle_mb": idle / MB, "left_mb": (left - idle) / MB}
    notes = (
        "The peak is the most the server had resident, above what it had when idle and had not seen a picture.",
        f"All {sizes.pictures} are posted at once; each answer is waited for, and its thumbnail fetched.",
        "Left is what it had above idle after the last answer.",
    )
    rounds = [{"picture_mb": [round(len(content) / MB, 2) for content in pictures]}]
    return Measured(fields, (Target("peak_mb", at_most=150),), rounds, asdict(sizes), notes)


def _draw(sizes: Sizes) -> bytes:
    """Noise: what no encoder makes smaller."""
    noise = Image.frombytes("RGB", (sizes.width, sizes.height), os.urandom(sizes.width * sizes.height * 3))
    into = io.BytesIO()
    noise.save(into, "JPEG", quality=QUALITY)
    return into.getvalue()


async def _post(client: httpx2.AsyncClient, content: bytes) -> None:
    made = await client.post(PATH, files={"file": ("noise.jpg", content, "image/jpeg")})
    made.raise_for_status()
    thumbnail = await client.get(f"{PATH}/{made.json()['id']}/thumbnail")
    thumbnail.raise_for_status()


async def _make_token(house: MessagingGround) -> str:
    async with house.database.transaction() as tx:
        new = NewToken("bench", house.unit_id, Role.OPERATOR, (EVERYTHING,), tx.now + timedelta(days=1))
        return (await auth.make_token(tx, ENGINE, new)).secret


def _forget_peak(pid: int) -> None:
    Path(f"/proc/{pid}/clear_refs").write_text("5")
