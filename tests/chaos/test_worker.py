"""What a survival run takes for a database that is away, and what for a finding."""

import asyncpg
import pytest

from chaos.worker import AWAY
from pabal.base.database import DatabaseUnavailable


@pytest.mark.parametrize(
    "error", [asyncpg.UniqueViolationError, asyncpg.DeadlockDetectedError, asyncpg.UndefinedColumnError]
)
def test_an_error_that_a_database_gives_while_it_is_there_is_not_waited_out(error: type[Exception]):
    assert not issubclass(error, AWAY)


@pytest.mark.parametrize(
    "error", [DatabaseUnavailable, ConnectionResetError, asyncpg.AdminShutdownError, asyncpg.CannotConnectNowError]
)
def test_one_that_is_killed_or_starting_is(error: type[Exception]):
    assert issubclass(error, AWAY)
