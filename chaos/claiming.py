"""The exchange of a run's servers: it notes what it claimed when it has it, and what it handed back when that is so."""

from collections.abc import Sequence, Set

from chaos.history import History
from pabal.base.database import Database
from pabal.engine.claims import Settled
from pabal.engine.endings import Attempted, Returned
from pabal.engine.exchange import Capacity, Exchange
from pabal.engine.kinds import Job, Kinds


class NotingExchange(Exchange):
    def __init__(self, database: Database, kinds: Kinds, labels: Set[str], history: History) -> None:
        super().__init__(database, kinds, labels)
        self._history = history

    async def run(self, worker: int, attempts: Sequence[Attempted], room: Capacity) -> tuple[Settled, list[Job]]:
        settled, jobs = await super().run(worker, attempts, room)
        left = {job.key for job, _ in settled.busy} | {job.key for job in settled.stale}
        back = [job.key for job, outcome in attempts if _keeps_turn(outcome) and job.key not in left]
        if back:
            self._history.write("handed back", jobs=back, worker=worker)
        if jobs:
            claimed = [(*job.key, job.ready_at.timestamp() if job.ready_at else None) for job in jobs]
            self._history.write("claimed", jobs=claimed, worker=worker)
        return settled, jobs


def _keeps_turn(outcome: object) -> bool:
    return isinstance(outcome, Returned) and outcome.keeps_turn
