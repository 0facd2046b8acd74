"""What a failure becomes at the command line: an exit code, its code and reason on stderr, and the next command."""

from collections.abc import Mapping

from pabal.base.errors import Conflict, Forbidden, Invalid, NotFound, PabalError, Unavailable

OK, FAILURE, USAGE, NOT_FOUND, REFUSED, CONFLICT, UNREACHABLE, PARTIAL = range(8)

_FAMILIES: Mapping[type[PabalError], int] = {
    NotFound: NOT_FOUND,
    Forbidden: REFUSED,
    Conflict: CONFLICT,
    Invalid: USAGE,
    Unavailable: UNREACHABLE,
}
_NEXT: Mapping[str, str] = {
    "job_not_found": "pabal jobs list",
    "id_ambiguous": "pabal jobs list",
    "bad_id": "pabal jobs list",
    "bad_state": "pabal jobs list --help",
    "bad_subject": "pabal why --help",
    "schedule_not_found": "pabal schedules list",
    "occurrence_not_found": "pabal schedules list",
    "machine_unknown": "pabal machines list",
    "ended_before": "pabal jobs list",
    "not_retryable": "pabal why {subject}",
    "handler_not_here": "pabal jobs cancel {subject} --app path/to/app.py",
    "not_confirmed": "{command} --yes",
    "not_empty": "pabal db restore FILE --replace --yes",
    "not_migrated": "pabal db migrate",
    "no_database": "pabal up",
    "clock_fixed": "pabal up --demo",
    "in_use": "pabal status",
    "settings_invalid": "pabal --help",
    "app_not_found": "pabal up --app path/to/app.py:SLICE",
    "no_port": "pabal up --port 0",
}


class Refused(Forbidden):
    """This is refused."""

    def __init__(self, detail: str = "", **named: str) -> None:
        self.named = named
        super().__init__(detail)


class MachineUnknown(NotFound):
    """No app that is loaded here has a machine of this name."""


class NotRetryable(Refused):
    """Only a job that failed, was cancelled, expired or was quarantined can be enqueued again."""


class EndedBefore(Conflict):
    """It had ended before; there was nothing left to cancel."""


class HandlerNotHere(Refused):
    """The code for this kind of job is not loaded here, so that its give_up would not be called. Load its app,
    or say --force to cancel without it."""


class NotConfirmed(Refused):
    """This cannot be undone, so it asks first; without a terminal nobody can answer."""


class ClockFixed(Refused):
    """This database's clock is the real one and cannot be moved; only that of a demo or a test can."""


class InUse(Refused):
    """A server still uses this database. Stop it first."""


class NotMigrated(PabalError):
    """The database has not all of Pabal's tables yet."""


class NoDatabase(Unavailable):
    """No database address is set, and the private PostgreSQL does not run."""


class DatabaseRefused(Unavailable):
    """The database answers but does not let us in."""


class SomeFailed(PabalError):
    """Not all of it could be done."""


def exit_code(error: PabalError) -> int:
    if isinstance(error, SomeFailed):
        return PARTIAL
    return next((code for family, code in _FAMILIES.items() if isinstance(error, family)), FAILURE)


def next_command(error: PabalError) -> str:
    wanted = _NEXT.get(error.code, "pabal doctor")
    return wanted.format_map({"subject": "ID", "command": "the same", **getattr(error, "named", {})})
