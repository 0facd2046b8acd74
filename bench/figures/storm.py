"""100,000 timers due at one moment, each a guarded transition with history and a fact, against set-based SQL."""

from dataclasses import asdict, dataclass
from typing import Any

from bench.ground import Ground, install
from bench.result import Measured, Target, middle, middle_ratio
from bench.sides import STORM

TARGETS = (Target("of_raw_sql", at_least=0.3),)


@dataclass(frozen=True)
class Sizes:
    timers: int = 100_000
    rounds: int = 3


SMALL = Sizes(timers=1_500, rounds=1)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    rounds = [await _round(ground, sizes, number) for number in range(sizes.rounds)]
    medians = {name: middle(rounds, name) for name in ("fired_per_s", "raw_sql_per_s")}
    fields = {"of_raw_sql": middle_ratio(rounds, "fired_per_s", "raw_sql_per_s"), **medians}
    notes = ("Raw SQL is one statement in one transaction; the engine fires in batches of 1,000, guards in Python.",)
    return Measured(fields, TARGETS, rounds, asdict(sizes), notes)


async def _round(ground: Ground, sizes: Sizes, number: int) -> dict[str, Any]:
    fired = await _run(ground, "fire", sizes.timers)
    raw = await _run(ground, "raw", sizes.timers)
    return {"round": number, "fired_per_s": fired, "raw_sql_per_s": raw}


async def _run(ground: Ground, word: str, timers: int) -> float:
    async with ground.filled(lambda url: _fill(url, timers)) as url:
        answer = await STORM.run(word, url, timers)
    written = [answer[name] for name in ("count", "moved", "history", "facts")]
    assert written == [timers] * 4, answer
    assert answer["timers"] == 0, answer
    return float(timers / answer["seconds"])


async def _fill(url: str, timers: int) -> None:
    await install(url)
    await STORM.run("fill", url, timers)
