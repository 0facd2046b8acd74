"""The command line: parse, call one action, show the answer. Nothing heavy is imported until a command runs."""

import sys

from pabal.cli.app import app, hoist


def main() -> None:
    # Typer only knows an option where it is declared; these are meant everywhere.
    app(args=hoist(sys.argv[1:]), prog_name="pabal")
