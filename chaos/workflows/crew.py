"""The processes of a run: two servers, most of which end at a kill point."""

from chaos.armed import ArmedCrew
from chaos.crew import Member
from pabal.base.killpoints import WORKFLOW_POINTS


class FlowCrew(ArmedCrew):
    module = "workflows.server"
    # where a strand goes through
    points = (
        *WORKFLOW_POINTS,
        *WORKFLOW_POINTS,
        "exchange.settled",
        "exchange.committed",
        "delays.moved",
        "delays.committed",
        "timers.moved",
    )
    latest = 15

    def at_work(self) -> list[Member]:
        """One that is starting has nothing to lose."""
        return self.serving()
