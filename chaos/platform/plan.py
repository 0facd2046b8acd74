"""Which fault happens when to the two servers and their database. Pure: the seed decides."""

from chaos.plan import Fault, What, plan_for_app

# One in so many seconds; a server needs a few of them to start, and kill points end them as well.
EVERY: dict[What, float] = {
    "kill": 8.0,
    "vanish": 23.0,
    "stop": 23.0,
    "retire": 11.0,
    "database": 15.0,
    "backends": 4.0,
}
# Of a minute, on two cores that have as much to do besides: a run that judged less proves too little.
JUDGED = {"events": 100, "decisions": 8, "presses": 15, "cards": 4, "webhooks": 8, "files": 10, "cuts": 8}
SECONDS_PER = {"kills": 15.0, "point": 25.0, "database": 30.0}


def make_plan(seed: int, seconds: float) -> list[Fault]:
    return plan_for_app(f"platform {seed}", EVERY, seconds)
