"""The command line in the test's process."""

from tests.apps.rules.cli.conftest import run

__all__ = ["run"]
