"""The processes of a run: two servers, most of which end at a kill point."""

from pathlib import Path

from chaos.armed import ArmedCrew
from chaos.crew import Member
from chaos.history import History

# Where a run goes through.
POINTS = (
    "schedules.decided",
    "schedules.committed",
    "exchange.committed",
    "steps.prepared",
    "steps.prepare_committed",
    "steps.performed",
    "steps.recorded",
    "steps.record_committed",
)


class RuleCrew(ArmedCrew):
    module, points = "rules.server", POINTS

    def __init__(self, folder: Path, url: str, seed: int, history: History) -> None:
        super().__init__(folder, url, seed, history)
        self._environment |= {"PABAL_RULES_REPOSITORY": str(folder / "scripts")}

    def at_work(self) -> list[Member]:
        """One that is starting has nothing to lose."""
        return self.serving()
