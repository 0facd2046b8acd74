"""The processes of a run: two servers, every second start of which ends at a kill point, and the outside."""

from pathlib import Path

from chaos.crew import Member
from chaos.history import History
from chaos.messaging.crew import find_ports
from chaos.relay.crew import RelayCrew
from pabal.base.killpoints import APP_POINTS, PLATFORM_POINTS

POINTS = (
    *PLATFORM_POINTS,
    *(point for point in APP_POINTS if point.startswith("telegram.")),
    "steps.prepare_committed",
    "steps.performed",
    "steps.recorded",
    "steps.record_committed",
    "facts.delivered",
    "facts.committed",
)


class PlatformCrew(RelayCrew):
    """As the relay's, with another outside and other places to end at."""

    module, points = "platform.server", POINTS
    # On a busy machine a server lives ten seconds and tells of three requests: the twelfth time is seldom reached.
    latest = 4

    def __init__(self, folder: Path, url: str, seed: int, history: History) -> None:
        super().__init__(folder, url, seed, history)
        # the first of them are those of the servers: the same process finds the same
        found = find_ports(9)[3:]
        self.fronts, self._backs = found[:3], found[3:]
        telegram, _, store = self.fronts
        self._environment |= {
            "PABAL_TELEGRAM_URL": f"http://127.0.0.1:{telegram}",
            "PABAL_STORAGE_URL": f"s3://key:secret@127.0.0.1:{store}/pabal?region=here&tls=none",
        }

    def at_work(self) -> list[Member]:
        """Whoever is to end at a kill point is left to get there, as long as somebody else can be hurt."""
        members = super().at_work()
        return [one for one in members if self._numbers[one.process.pid] % self.unarmed == 0] or members

    @property
    def webhook_url(self) -> str:
        return f"http://127.0.0.1:{self.fronts[1]}/hook"

    def start_outside(self) -> None:
        ports = {"--ports": self._ports, "--fronts": self.fronts, "--backs": self._backs}
        given = [word for name, found in ports.items() for word in (name, *map(str, found))]
        self._outside = self._run("platform.outside", *given, "--seed", str(self._seed))
