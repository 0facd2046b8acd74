"""Every migration of the floors up to the engine, in the order they are applied."""

from pathlib import Path

from pabal.base import migrations
from pabal.base.migrations import read_migrations

MIGRATIONS = [
    *read_migrations("base", migrations.BASE),
    *read_migrations("engine", Path(__file__).parent / "migrations"),
]
