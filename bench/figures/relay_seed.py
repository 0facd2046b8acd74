"""Five users who speak again once answered: rounds a second, beside the seed's own design and the bare loop."""

from dataclasses import asdict, dataclass

from bench.figures.relay import ours, theirs
from bench.ground import Ground
from bench.result import Measured, Target, middle_ratio


@dataclass(frozen=True)
class Sizes:
    users: int = 5
    seconds: float = 8
    rounds: int = 3


SMALL = Sizes(users=2, seconds=0.1, rounds=1)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    rounds = [await _round(ground, sizes) for _ in range(sizes.rounds)]
    fields = {
        "rounds_vs_seed": middle_ratio(rounds, "ours_per_s", "seed_per_s"),
        "rounds_vs_bare": middle_ratio(rounds, "ours_per_s", "bare_per_s"),
        "ours_per_s": max(one["ours_per_s"] for one in rounds),
    }
    targets = (Target("rounds_vs_seed", at_least=5), Target("rounds_vs_bare", at_least=0.4))
    notes = (
        "A closed loop: each user speaks again when Kakao has the answer to what was said before. Two servers each.",
        "The seed's design is a row per message, looked for each second with skip locked, and a transaction per step.",
    )
    return Measured(fields, targets, rounds, asdict(sizes), notes)


async def _round(ground: Ground, sizes: Sizes) -> dict[str, float]:
    given = (sizes.users, sizes.seconds, sizes.users)
    found = {}
    async with ours(ground, "closed", given, accounts=sizes.users, users=sizes.users) as outside:
        found["ours_per_s"] = (await outside.answer())["rounds_per_s"]
    for kind in ("seed", "bare"):
        async with theirs(ground, "closed", given, kind=kind, accounts=sizes.users) as outside:
            found[f"{kind}_per_s"] = (await outside.answer())["rounds_per_s"]
    return found
