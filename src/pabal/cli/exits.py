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
    "wrong_id": "{list}",
    "bad_number": "pabal --help",
    "bad_state": "pabal jobs list --help",
    "bad_subject": "pabal why --help",
    "schedule_not_found": "pabal schedules list",
    "occurrence_not_found": "pabal schedules list",
    "machine_unknown": "pabal machines list",
    "ended_before": "pabal jobs list",
    "not_retryable": "pabal why {subject}",
    "handler_not_here": "pabal jobs cancel {subject} --app path/to/app.py",
    "unit_not_found": "pabal org tree",
    "unit_not_empty": "pabal org tree",
    "bad_level": "pabal org tree",
    "bad_name": "pabal org tree",
    "name_ambiguous": "pabal org tree",
    "user_not_found": "pabal user list",
    "login_taken": "pabal user list",
    "last_admin": "pabal user add LOGIN --name NAME --role admin",
    "user_inactive": "pabal user edit USER --active",
    "token_not_found": "pabal token list",
    "token_over": "pabal token make NAME --scope AREA:RIGHT",
    "bad_scope": "pabal token make --help",
    "bad_expiry": "pabal token make --help",
    "setting_not_found": "pabal config list",
    "setting_unreadable": "pabal config list",
    "setting_out_of_range": "pabal config list",
    "setting_not_a_choice": "pabal config list",
    "backup_not_found": "pabal backup list",
    "backup_not_whole": "pabal backup list",
    "backup_failed": "pabal doctor",
    "backup_bad": "pabal backup take",
    "alert_not_found": "pabal alert list",
    "rule_not_found": "pabal alert rules",
    "move_not_allowed": "pabal alert list",
    "approval_not_found": "pabal inbox",
    "no_bot": "pabal channel add NAME --chat ID < token.txt",
    "approval_decided": "pabal inbox",
    "approval_expired": "pabal inbox",
    "approval_withdrawn": "pabal inbox",
    "reason_needed": "pabal reject ID -m TEXT",
    "channel_not_found": "pabal channel list",
    "channel_name_taken": "pabal channel list",
    "bad_channel": "pabal channel add --help",
    "bad_token": "pabal channel add NAME --chat ID < token.txt",
    "channel_stopped": "pabal channel test ID",
    "channel_delivery_not_found": "pabal channel deliveries ID",
    "not_delivered": "pabal channel list",
    "no_server": "pabal up",
    "no_secret_key": "PABAL_SECRET_KEY=… {command}",
    "demo_refused": "pabal up --demo",
    "port_taken": "pabal sim telegram --port 0",
    "bot_port_taken": "PABAL_BOTS_PORT=0 {command}",
    "bad_bot_server": "pabal sim bot --help",
    "bad_simulated_room": "pabal sim bot --help",
    "bad_arrivals_file": "pabal sim bot --help",
    "channel_port_taken": "pabal sim kakao --port 0",
    "bad_journal_file": "pabal sim kakao --help",
    "nexrender_port_taken": "pabal sim nexrender --port 0",
    "bad_render_journal": "pabal sim nexrender --help",
    "bad_render_fault": "pabal sim nexrender --help",
    "bad_sim_path": "pabal sim nexrender --help",
    "bad_sim_seconds": "pabal sim nexrender --help",
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


_LISTS = {"alr": "alert list", "bak": "backup list", "ntf": "notice list", "aud": "audit list", "apr": "inbox"}
_LAST = 2**63 - 1


class Refused(Forbidden, code="refused"):
    """This is refused."""

    def __init__(self, detail: str = "", **named: str) -> None:
        self.named = named
        super().__init__(detail)


class MachineUnknown(NotFound, code="machine_unknown"):
    """No app that is loaded here has a machine of this name."""


class NotRetryable(Refused, code="not_retryable"):
    """Only a job that failed, was cancelled, expired or was quarantined can be enqueued again."""


class EndedBefore(Conflict, code="ended_before"):
    """It had ended before; there was nothing left to cancel."""


class HandlerNotHere(Refused, code="handler_not_here"):
    """The code for this kind of job is not loaded here, so that its give_up would not be called. Load its app,
    or say --force to cancel without it."""


class NotConfirmed(Refused, code="not_confirmed"):
    """This cannot be undone, so it asks first; without a terminal nobody can answer."""


class ClockFixed(Refused, code="clock_fixed"):
    """This database's clock is the real one and cannot be moved; only that of a demo or a test can."""


class InUse(Refused, code="in_use"):
    """A server still uses this database. Stop it first."""


class NoSecretKey(Refused, code="no_secret_key"):
    """The servers' key is not here, so that they could not open what this would seal. Do it in the folder of a server,
    or set PABAL_SECRET_KEY as they have it."""


class WrongId(Invalid, code="wrong_id"):
    """This is not an id of what is asked for."""

    def __init__(self, detail: str = "", **named: str) -> None:
        self.named = named
        super().__init__(detail)


class BadNumber(Invalid, code="bad_number"):
    """Here a number is asked for, as the list shows it in its first column."""


class BackupFailed(PabalError, code="backup_failed"):
    """The backup did not succeed; the servers' log says more."""


class BackupBad(PabalError, code="backup_bad"):
    """This backup would not bring everything back, or could not be checked."""


class NotDelivered(PabalError, code="not_delivered"):
    """The message did not arrive."""


class NoServer(Unavailable, code="no_server"):
    """No server runs that could do this. What was asked for is kept, and done when one starts."""


class PortTaken(Unavailable, code="port_taken"):
    """This port cannot be listened on."""


class NotMigrated(PabalError, code="not_migrated"):
    """The database has not all of Pabal's tables yet."""


class NoDatabase(Unavailable, code="no_database"):
    """No database address is set, and the private PostgreSQL does not run."""


class DatabaseRefused(Unavailable, code="database_refused"):
    """The database answers but does not let us in."""


class SomeFailed(PabalError, code="some_failed"):
    """Not all of it could be done."""


def exit_code(error: PabalError) -> int:
    if isinstance(error, SomeFailed):
        return PARTIAL
    return next((code for family, code in _FAMILIES.items() if isinstance(error, family)), FAILURE)


def next_command(error: PabalError, of_app: Mapping[str, str] = _NEXT) -> str:
    """An app's own word comes first: another's error may have the same code."""
    wanted = of_app.get(error.code) or _NEXT.get(error.code, "pabal doctor")
    usual = {"subject": "ID", "command": "the same", "list": "pabal jobs list"}
    return wanted.format_map({**usual, **getattr(error, "named", {})})


def read_id(prefix: str, text: str) -> int:
    """An id such as alr_01h2xcejqtf2n; what is none names the list to look it up in."""
    from pabal.engine import ids

    try:
        number = ids.read(prefix, text)
        if number > _LAST:
            raise ids.BadId(text)
    except ids.BadId as error:
        raise WrongId(text[:100], list=f"pabal {_LISTS[prefix]}") from error
    return number


def read_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise BadNumber(text[:100])
    return int(text)
