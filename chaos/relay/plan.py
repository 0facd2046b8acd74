"""Which fault happens when to the two servers and their database. Pure: the seed decides."""

from chaos.plan import Fault, What, plan_for_app

# One in so many seconds. A server needs a few of them to start, there are only two, and kill points end them as well.
EVERY: dict[What, float] = {
    "kill": 8.0,
    "vanish": 23.0,
    "stop": 23.0,
    "retire": 11.0,
    "database": 15.0,
    "backends": 4.0,
}
# Of a minute, on two cores that have as much to do besides: a run that judged less proves too little.
JUDGED = {
    "messages ended": 160,
    "addresses used": 80,
    "answers shown": 100,
    "promises": 100,
    "answers in time": 80,
    "rescued": 5,
    "webhooks repeated": 15,
    "replies repeated": 15,
    "foreign replies": 6,
    "handed out": 160,
    "webhooks": 160,
}
SECONDS_PER = {"kills": 15.0, "point": 20.0, "database": 30.0}


def make_plan(seed: int, seconds: float) -> list[Fault]:
    return plan_for_app(f"servers {seed}", EVERY, seconds)
