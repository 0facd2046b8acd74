"""Which fault happens when to the servers and their database. Pure: the seed decides."""

from chaos.plan import Fault, What, plan_for_app

# One in so many seconds; kill points end servers as well.
EVERY: dict[What, float] = {
    "kill": 6.0,
    "vanish": 23.0,
    "stop": 23.0,
    "retire": 11.0,
    "database": 15.0,
    "backends": 3.0,
}
# Of a minute, on two cores that have as much to do besides: a run that judged less proves too little.
JUDGED = {
    "runs ended": 60,
    "runs done": 25,
    "steps done": 250,
    "steps tried again": 10,
    "items": 30,
    "written": 60,
    "performed": 120,
    "lost attempts": 5,
    "moments waited for": 25,
    "signals taken": 25,
    "too late": 3,
    "children": 8,
    "undone": 8,
    "runs undone": 4,
}
SECONDS_PER = {"kills": 15.0, "point": 25.0, "database": 30.0}


def make_plan(seed: int, seconds: float) -> list[Fault]:
    return plan_for_app(f"workflows {seed}", EVERY, seconds)
