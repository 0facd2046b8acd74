"""Which fault happens when to the servers, their database, nexrender and the NAS. Pure: the seed decides."""

from chaos.plan import Fault, What, plan_for_app

# One in so many seconds. A server needs a few of them to start, there are only two, and kill points end them as well.
EVERY: dict[What, float] = {
    "kill": 8.0,
    "vanish": 23.0,
    "stop": 23.0,
    "retire": 12.0,
    "database": 15.0,
    "backends": 4.0,
    "nexrender": 11.0,
    "restart": 11.0,
    "hang": 13.0,
    "nas": 6.0,
    "lose": 9.0,
    "misbehave": 1.2,
}
# For how long nexrender and the NAS are away.
AWAY = (0.5, 3.0)
# Of a minute, on two cores that have as much to do besides: a run that judged less proves too little.
JUDGED = {"renders ended": 45, "completed": 25, "rendered": 35, "cancelled": 3, "seen on the NAS": 25, "again": 2}
SECONDS_PER = {"kills": 15.0, "point": 20.0, "database": 30.0, "nexrender": 20.0, "nas": 12.0}


def make_plan(seed: int, seconds: float) -> list[Fault]:
    return plan_for_app(f"servers {seed}", EVERY, seconds)
