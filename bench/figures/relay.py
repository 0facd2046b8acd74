"""A hundred webhooks a second over two hundred instances at two servers, each answered and called back."""

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from bench.ground import Ground
from bench.relay_ground import OUTSIDE, RELAY, allow, laid
from bench.result import Measured, Target
from bench.sides import Side, Started

BARE = Side("bare relay", (sys.executable, "-m", "bench.relay_bare"))
SERVERS = 2
CONNECTIONS = 2_000


@dataclass(frozen=True)
class Sizes:
    accounts: int = 200
    users: int = 1_000
    rate: int = 100
    seconds: float = 10
    windows: int = 3


SMALL = Sizes(accounts=4, users=8, rate=20, seconds=0.5, windows=1)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    given = (sizes.rate, sizes.seconds, sizes.accounts, sizes.windows, sizes.users)
    async with ours(ground, "windows", given, accounts=sizes.accounts, users=sizes.users) as outside:
        found = await outside.answer()
    async with theirs(ground, "windows", given, kind="bare", accounts=sizes.accounts) as outside:
        bare = await outside.answer()
    best = min(found["windows"], key=lambda one: one["round_p99_ms"])
    fields = {
        **{name: best[name] for name in ("webhook_p99_ms", "webhook_to_client_p99_ms", "round_p99_ms", "round_p50_ms")},
        "of_bare_p50": best["round_p50_ms"] / min(one["round_p50_ms"] for one in bare["windows"]),
        "lost": sum(one["lost"] for one in found["windows"]),
        "twice": found["twice"],
        "most_per_s": found["most_per_s"],
    }
    targets = (
        Target("webhook_p99_ms", at_most=60),
        Target("webhook_to_client_p99_ms", at_most=120),
        Target("round_p99_ms", at_most=300),
        Target("of_bare_p50", at_most=3),
        Target("lost", at_most=0),
        Target("twice", at_most=0),
    )
    notes = (
        "An open loop: webhooks come at their moments whatever became of those before. Two servers take them in turn; "
        "each instance is at one of the two. Users, instances and Kakao's side are one process with one clock.",
        "A round is from the webhook's first byte to the callback's arrival; gathering and the second before a "
        "callback are set to 0. The best of the windows counts, all are in the rounds.",
        "Bare is FastAPI and asyncpg with one statement a step, NOTIFY, and no checks, history or retries.",
        "most_per_s is a closed loop of 50 users.",
    )
    return Measured(fields, targets, [*found["windows"], *bare["windows"]], asdict(sizes), notes)


@asynccontextmanager
async def ours(
    ground: Ground, word: str, given: tuple[Any, ...], *, accounts: int, users: int
) -> AsyncIterator[Started]:
    async with ground.fresh() as url, laid(url, accounts=accounts, conversations=users) as folder:
        await ground.settle(url)

        async def start(stack: AsyncExitStack, number: int) -> dict[str, Any]:
            made = RELAY.start("serve", url, folder / str(number), "web,worker,scheduler", CONNECTIONS)
            return await (await stack.enter_async_context(made)).line()

        async with _driven(word, given, start) as outside:
            yield outside


@asynccontextmanager
async def theirs(
    ground: Ground, word: str, given: tuple[Any, ...], *, kind: str, accounts: int
) -> AsyncIterator[Started]:
    async with ground.fresh() as url:
        await BARE.run("install", url)
        await ground.settle(url)

        async def start(stack: AsyncExitStack, number: int) -> dict[str, Any]:
            made = BARE.start("serve", url, accounts, kind)
            return await (await stack.enter_async_context(made)).line()

        async with _driven(word, given, start) as outside:
            yield outside


@asynccontextmanager
async def _driven(word: str, given: tuple[Any, ...], start: Any) -> AsyncIterator[Started]:
    """The outside first: servers are told its address before they start."""
    async with AsyncExitStack() as stack:
        outside = await stack.enter_async_context(OUTSIDE.start("drive", word, *given))
        allow((await outside.line())["origin"])
        said = [await start(stack, number) for number in range(SERVERS)]
        outside.write(" ".join(str(urlsplit(one["address"]).port) for one in said))
        yield outside
