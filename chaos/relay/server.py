"""One server of a run: Pabal with the relay, in a process of its own: python -m chaos.relay.server."""

from chaos.serving import GRACE, ROLES, make_home, run, take_arguments
from pabal.base.settings import read_settings

APP = "pabal.apps.relay"
KEY = "a key for one run only"


def main() -> None:
    parser = take_arguments()
    parser.add_argument("--port", type=int, required=True)
    given = parser.parse_args()
    settings = read_settings(
        data_dir=make_home(given.folder, given.slot),
        secret_key=KEY,
        host="127.0.0.1",
        port=given.port,
        # everybody is on this machine
        web_connections_per_address=1000,
        pool_size=10,
        shutdown_grace=GRACE,
        apps=APP,
    )
    run(given, settings, ROLES | {"web"})


if __name__ == "__main__":
    main()
