"""The schema every server has: the engine's, then the platform's."""

from pathlib import Path

from pabal.base.migrations import read_migrations
from pabal.engine import schema

MIGRATIONS = [*schema.MIGRATIONS, *read_migrations("platform", Path(__file__).parent / "migrations")]
