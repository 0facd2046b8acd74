"""A subscriber of a run: it leaves a row for each fact it takes, and cannot take some of them."""

import os
import signal

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine import facts
from pabal.engine.facts import Fact, Subscriber
from pabal.engine.loop import Loop

SQL = load(__file__)
NAMES = ("job.ended", "chaos.noted")


class BadFact(Exception):
    """A fact that is not taken on purpose."""


async def hear(tx: Tx, heard: list[Fact]) -> None:
    await tx.run(SQL.insert_heard, seqs=[fact.seq for fact in heard], subjects=[fact.subject for fact in heard])
    # After the rows are written: what a failing batch wrote must be gone.
    match next((how for fact in heard if (how := fact.data.get("poison"))), None):
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "cut":
            await tx.rows(SQL.cut_connection)
        case "raise":
            raise BadFact("on purpose")


SUBSCRIBER = Subscriber("chaos.heard", NAMES, hear, batch=50, from_start=True)


def make_loop(database: Database) -> Loop:
    return facts.make_loop(database, SUBSCRIBER, idle=1.0)
