"""One server of a run: Pabal with two render slots, in a process of its own: python -m chaos.rendering.server."""

from chaos.rendering.ground import POST_SECONDS
from chaos.serving import GRACE, ROLES, make_home, run, take_arguments
from pabal.apps.rendering.farm import farm_of
from pabal.apps.rendering.gateway import NexrenderClient
from pabal.apps.rendering.startup import read_networks
from pabal.base.settings import read_settings
from pabal.main import App

APP = "pabal.apps.rendering"
KEY = "a key for one run only"


def main() -> None:
    given = take_arguments().parse_args()
    home = make_home(given.folder, given.slot)
    settings = read_settings(data_dir=home, secret_key=KEY, pool_size=10, shutdown_grace=GRACE, apps=APP)
    run(given, settings, ROLES | {"render"}, prepare=_hurry)


def _hurry(app: App) -> None:
    """Ten seconds for a POST would be a third of the run."""
    farm = farm_of(app.services)
    startup, networks = farm.startup, read_networks(farm.startup.nexrender_networks)
    farm.client = NexrenderClient(startup.nexrender_url, secret="", networks=networks, post_seconds=POST_SECONDS)
    farm.post_seconds, farm.tick = POST_SECONDS, 0.2


if __name__ == "__main__":
    main()
