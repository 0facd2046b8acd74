"""One server of a run: Pabal with the desk, in a process of its own: python -m chaos.platform.server."""

from chaos.platform.ground import KEY
from chaos.serving import GRACE, ROLES, make_home, run, take_arguments
from pabal.base.settings import read_settings

APP = "chaos.platform.desk"


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
        webhook_networks="127.0.0.0/8",
        pool_size=10,
        shutdown_grace=GRACE,
        apps=APP,
    )
    run(given, settings, ROLES | {"web"})


if __name__ == "__main__":
    main()
