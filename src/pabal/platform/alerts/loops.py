"""The loops alerts need on every server: sampling for the house and for this host, evaluation, pruning."""

import socket
from collections.abc import Sequence
from functools import partial

from pabal.base.database import Database
from pabal.engine.loop import Loop
from pabal.platform.alerts.evaluation import evaluate_once
from pabal.platform.alerts.model import AlertRule, Measure, Tell, check_rules
from pabal.platform.alerts.sampling import prune_once, sample_once

# They look more often than they act: whether it is time is in the database, and whichever server looks first acts.
LOOK = 5.0
PRUNE = 300.0


def make_loops(
    database: Database, measures: Sequence[Measure], rules: Sequence[AlertRule], tell: Tell, *, host: str | None = None
) -> list[Loop]:
    check_rules(measures, rules)
    here = host or socket.gethostname()
    house = [measure for measure in measures if not measure.is_per_host]
    own = [measure for measure in measures if measure.is_per_host]
    return [
        Loop("samples", partial(sample_once, database, house), idle=LOOK),
        Loop("samples of this host", partial(sample_once, database, own, host=here), idle=LOOK),
        Loop("alerts", partial(evaluate_once, database, rules, tell), idle=LOOK),
        Loop("old samples", partial(prune_once, database), idle=PRUNE),
    ]
