"""Which fault happens when to the servers, their database and the scripts. Pure: the seed decides."""

from chaos.plan import Fault, What, plan_for_app

# One in so many seconds; kill points end servers as well.
EVERY: dict[What, float] = {
    "kill": 7.0,
    "vanish": 23.0,
    "stop": 23.0,
    "retire": 13.0,
    "database": 15.0,
    "backends": 4.0,
    "script": 1.5,
}
# Of a minute, on two cores that have as much to do besides: a run that judged less proves too little.
JUDGED = {"runs ended": 60, "succeeded": 30, "callbacks": 60, "files": 25, "processes": 60, "of a lost server": 3}
SECONDS_PER = {"kills": 15.0, "point": 25.0, "database": 30.0, "script": 6.0}


def make_plan(seed: int, seconds: float) -> list[Fault]:
    return plan_for_app(f"rules {seed}", EVERY, seconds)
