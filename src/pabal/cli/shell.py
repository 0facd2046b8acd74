"""What every command shares: settings, language, the way to print, the way to the database, the way to fail."""

import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import typer

from pabal.cli.words import say
from pabal.platform.commands.printing import printable
from pabal.platform.language.pairs import Lang, Pair, put

if TYPE_CHECKING:
    import asyncio

    from pabal.base.database import Database, Tx
    from pabal.base.errors import PabalError
    from pabal.base.settings import Settings
    from pabal.platform.actor import Actor
    from pabal.platform.alerts import AlertRule
    from pabal.platform.approvals import Approvables
    from pabal.platform.commands.answers import Answer
    from pabal.platform.controls import Owners
    from pabal.platform.secrets import Vault
    from pabal.platform.services import Services
    from pabal.platform.settings import Catalogue
    from pabal.platform.slice import Slice
    from pabal.platform.workflows import Workflows

T = TypeVar("T")
# invalid_schema_name, undefined_function, undefined_table
_NOT_MIGRATED = ("3F000", "42883", "42P01")


@dataclass
class Shell:
    """Words are a key of WORDS, or an app's own pair. `next_commands` are an app's, by the code of its error."""

    output: str = "table"
    wanted_lang: str | None = None
    apps: tuple[str, ...] = ()
    next_commands: dict[str, str] = field(default_factory=dict)

    @cached_property
    def settings(self) -> "Settings":
        return self.settings_with()

    def settings_with(self, **given: Any) -> "Settings":
        from pabal.base.settings import read_settings, split_list

        settings = read_settings(**given)
        if not self.apps:
            return settings
        apps = ",".join([*split_list(settings.apps), *self.apps])
        return read_settings(**{**given, "apps": apps})

    @property
    def lang(self) -> Lang:
        """Never fails: an error about the settings must be said in some language too."""
        wanted = self.wanted_lang or os.environ.get("PABAL_LANG") or "auto"
        if wanted == "auto":
            names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
            wanted = next((name for name in names if name), "en")[:2]
        return "ko" if wanted == "ko" else "en"

    @property
    def actor(self) -> "Actor":
        return administrator()

    def say(self, words: str | Pair, **values: Any) -> str:
        return say(self.lang, words, **values) if isinstance(words, str) else put(self.lang, words, **values)

    def tell(self, words: str | Pair, **values: Any) -> None:
        """To the person, on stderr: results alone are on stdout."""
        typer.echo(printable(self.say(words, **values)), err=True)

    def show(self, answer: "Answer") -> None:
        from pabal.cli.output import write

        write(answer, self.output, self.lang)

    def run(
        self, work: Coroutine[Any, Any, T], *, loop_factory: "Callable[[], asyncio.AbstractEventLoop] | None" = None
    ) -> T:
        """Runs the command; a failure we know ends the process with its exit code."""
        import asyncio

        from pabal.base.errors import PabalError
        from pabal.base.telemetry import start_logging

        # Only a server has a log worth reading; `up` and `serve` turn it on.
        start_logging(level="error", json_lines=False)
        try:
            with asyncio.Runner(loop_factory=loop_factory) as runner:
                return runner.run(_named(work))
        except PabalError as error:
            self.fail(error)

    def fail(self, error: "PabalError") -> NoReturn:
        from pabal.cli.exits import exit_code, next_command
        from pabal.platform.language.errors import explain

        message, detail = explain(error, self.lang), self._facts_of(error)
        reason = f"{message} ({detail})" if detail else message
        command = next_command(error, self.next_commands)
        if self.output in ("json", "ndjson"):
            said = {"code": error.code, "reason": reason, "next": command, **self._errors_of(error)}
            told = json.dumps(said, ensure_ascii=False)
        else:
            told = printable(f"{self.say('error')} {error.code}: {reason}\n{self.say('next')} {command}")
        typer.echo(told, err=True)
        raise typer.Exit(exit_code(error))

    def _facts_of(self, error: "PabalError") -> str:
        """What is wrong with each field, by the name its option has here."""
        findings, names = getattr(error, "findings", ()), getattr(error, "options", {})
        said = [f"{names.get(one.field, one.field)}: {put(self.lang, one.text)}" for one in findings]
        return " / ".join(said) or error.detail

    def _errors_of(self, error: "PabalError") -> dict[str, Any]:
        """As REST answers them, for programs."""
        from pabal.platform.findings import view_finding
        from pabal.platform.resources import plain

        findings = [plain(view_finding(one, self.lang)) for one in getattr(error, "findings", ())]
        return {"errors": findings} if findings else {}

    @cached_property
    def named_apps(self) -> list[str]:
        """By --app and by the settings, which are not asked: importing them takes longer than a help."""
        file = Path(os.environ.get("PABAL_CONFIG", "pabal.toml"))
        named = os.environ.get("PABAL_APPS", "")
        if not named and file.exists():
            import tomllib

            try:
                named = str(tomllib.loads(file.read_text(encoding="utf-8")).get("apps", ""))
            except (OSError, ValueError):
                return []  # the first command that needs a setting says what is wrong
        return [*(name.strip() for name in named.split(",") if name.strip()), *self.apps]

    @cached_property
    def loaded(self) -> "tuple[Slice, ...]":
        """The apps that the settings and --app name."""
        from pabal.base.settings import split_list
        from pabal.platform.slice import load_slices

        return load_slices(split_list(self.settings.apps))

    @cached_property
    def slices(self) -> "tuple[Slice, ...]":
        """All apps that this command line has code for: the demo's is always here."""
        from pabal.demo import SLICE

        return (*self.loaded, SLICE)

    @cached_property
    def house(self) -> "tuple[Slice, ...]":
        """As a server of these settings is made of: the apps, and the platform's own rooms."""
        from pabal.platform.platform_slice import platform_slice
        from pabal.platform.slice import check_slices, list_migrations

        whole = (*self.slices, platform_slice(self.slices, list_migrations(self.slices)))
        check_slices(whole)
        return whole

    @property
    def owners(self) -> "Owners":
        """Of the kinds of work that these apps claim."""
        from pabal.platform.slice import list_owners

        return list_owners(self.house)

    @property
    def approvables(self) -> "Approvables":
        """What people decide in the inbox, by kind."""
        from pabal.platform.slice import list_approvables

        return list_approvables(self.house)

    @property
    def workflows(self) -> "Workflows":
        """The kinds of steps that these apps bring, and what people may do with workflows."""
        from pabal.platform.slice import list_steps
        from pabal.platform.workflows import Workflows, make_step_kinds

        return Workflows(make_step_kinds(list_steps(self.house)))

    @property
    def reader(self) -> "Actor":
        return self.actor

    @property
    def rules(self) -> "tuple[AlertRule, ...]":
        """Of the engine and of every app that is loaded here."""
        return tuple(rule for one in self.house for rule in one.alert_rules)

    @property
    def catalogue(self) -> "Catalogue":
        """Of the platform and of every app that is loaded here."""
        from pabal.platform.settings import Catalogue

        return Catalogue(setting for one in self.house for setting in one.settings)

    @property
    def address(self) -> str:
        """Where people reach the console."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.settings.host, self.settings.host)  # noqa: S104 -- not listened on
        return self.settings.public_url or f"http://{f'[{host}]' if ':' in host else host}:{self.settings.port}"

    async def database_url(self) -> str:
        if self.settings.database_url:
            return self.settings.database_url
        from pabal.base import embedded
        from pabal.cli.exits import NoDatabase

        cluster = embedded.find_running(self.settings.postgres_dir)
        if cluster is None:
            raise NoDatabase(str(self.settings.data_dir))
        return cluster.url()

    @asynccontextmanager
    async def database(self) -> "AsyncIterator[Database]":
        """For looking and for small changes; what is enqueued here wakes the servers."""
        from pabal.base.database import Database
        from pabal.base.pools import Purpose
        from pabal.engine.wakeups import Notifier

        database = await Database.open(await self.database_url(), purpose=Purpose.COMMANDS, size=2)
        notifier = Notifier(database)
        database.announce = notifier.announce
        try:
            await self._refuse_newer(database)
            yield database
        finally:
            await notifier.close()
            await database.close()

    async def _refuse_newer(self, database: "Database") -> None:
        """Of the apps, those count that this command has imported, as an app's own commands do: importing the others
        for this alone would take longer than most commands."""
        from pabal.base.migrations import compare
        from pabal.base.settings import split_list
        from pabal.platform.schema import MIGRATIONS

        apps: tuple[Slice, ...] = self.__dict__.get("loaded", ())
        imported = [name for name in split_list(self.settings.apps) if name.partition(":")[0] in sys.modules]
        if imported and not apps:
            from pabal.platform.slice import load_slice

            apps = tuple(load_slice(name) for name in imported)
        known = [*MIGRATIONS, *(one for app in apps for one in app.read_migrations())]
        (await compare(database, known)).refuse_unknown()

    @asynccontextmanager
    async def transaction(self) -> "AsyncIterator[Tx]":
        async with self.database() as database, database.transaction() as tx:
            yield tx

    @asynccontextmanager
    async def change(self, *, dry_run: bool) -> "AsyncIterator[Tx]":
        """With --dry-run all of it is done and then taken back: what is shown is what would be."""
        try:
            async with self.transaction() as tx:
                yield tx
                if dry_run:
                    raise _TakenBack
        except _TakenBack:
            self.tell("dry_run")

    @asynccontextmanager
    async def services(self, database: "Database") -> "AsyncIterator[Services]":
        """What handlers are made with, on the one small pool of a command."""
        from pabal.platform.notifications import Telegram
        from pabal.platform.services import Services
        from pabal.platform.storage import open_files_of

        settings, telegram, vault = self.settings, Telegram(self.settings.telegram_url), self.opener
        try:
            files = open_files_of(settings)
            yield Services(settings, database, database, vault, files, telegram, changes=database, identity=database)
        finally:
            await telegram.close()

    @property
    def vault(self) -> "Vault":
        """The servers' own, never one made here: what it seals they could not open."""
        from pabal.cli.exits import NoSecretKey
        from pabal.platform.secrets import find_vault, key_file

        if self.settings.secret_key is None and not key_file(self.settings).exists():
            raise NoSecretKey(str(key_file(self.settings)))
        return find_vault(self.settings)

    @property
    def opener(self) -> "Vault":
        """To open what can be opened here: without the servers' key nothing can, and few commands come across a
        secret."""
        import secrets

        from pabal.cli.exits import NoSecretKey
        from pabal.platform.secrets import Vault

        try:
            return self.vault
        except NoSecretKey:
            return Vault(secrets.token_urlsafe())

    def confirm(self, words: str | Pair, *, yes: bool, **values: Any) -> None:
        """Asks before what cannot be undone; never where nobody can answer."""
        from pabal.cli.exits import NotConfirmed

        if yes:
            return
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            self.fail(NotConfirmed(command=f"pabal {' '.join(sys.argv[1:])}"))
        if not typer.confirm(self.say(words, **values), err=True):
            self.fail(NotConfirmed(command=f"pabal {' '.join(sys.argv[1:])}"))


def administrator() -> "Actor":
    """Whoever holds the database's address is an administrator of the whole house."""
    import getpass

    from pabal.platform.actor import Actor, Role

    name = getpass.getuser()
    return Actor(f"cli:{name}", None, Role.ADMIN, label=name, origin="cli")


class _TakenBack(Exception):
    """Ends a transaction that was only tried."""


async def _named(work: Coroutine[Any, Any, T]) -> T:
    """A database without our tables, or one that does not let us in, is named."""
    from pabal.base import disk
    from pabal.base.database import DatabaseError
    from pabal.cli.exits import DatabaseRefused, NotMigrated

    try:
        return await work
    except DatabaseError as error:
        if disk.is_full(error):
            raise disk.name_full("database", error) from error
        if error.sqlstate in _NOT_MIGRATED:
            raise NotMigrated(str(error)) from error
        if str(error.sqlstate)[:2] in ("28", "3D"):
            raise DatabaseRefused(str(error)) from error
        raise
