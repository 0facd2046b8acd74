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
    "runs done": 20,
    "steps done": 150,
    "steps tried again": 4,
    "items": 10,
    "written": 20,
    "performed": 40,
    "lost attempts": 5,
    "moments waited for": 20,
    "signals taken": 20,
    "too late": 1,
    "children": 4,
    "undone": 4,
    "runs undone": 3,
}
SECONDS_PER = {"kills": 15.0, "point": 25.0, "database": 30.0}


def make_plan(seed: int, seconds: float) -> list[Fault]:
    return plan_for_app(f"workflows {seed}", EVERY, seconds)
