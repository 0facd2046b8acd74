"""Dumps a database to a file and brings it back, with PostgreSQL's own programs; any PostgreSQL will do."""

import asyncio
import os
import secrets
import signal
import tempfile
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, unquote

from pabal.base import disk
from pabal.base.embedded.binaries import Binaries, at_least
from pabal.base.embedded.place import sync_folder, write_private
from pabal.base.errors import Conflict, Invalid, Unavailable
from pabal.base.sql import load

SQL = load(__file__)
_OLDEST = 15
# What libpq reads from a URL's query, as the environment names it. asyncpg sends everything else to the server as a
# setting of its own sessions, which a dump does not need.
_QUERY = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "database": "PGDATABASE",
    "passfile": "PGPASSFILE",
    "sslmode": "PGSSLMODE",
    "ssl": "PGSSLMODE",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcrl": "PGSSLCRL",
    "target_session_attrs": "PGTARGETSESSIONATTRS",
    "krbsrvname": "PGKRBSRVNAME",
    "gsslib": "PGGSSLIB",
}


class NotAnAddress(Invalid, code="not_an_address"):
    """This is not the address of a PostgreSQL database; it should read postgresql://user:password@host:port/database."""


class DumpFailed(Unavailable, code="dump_failed"):
    """The database could not be dumped. Nothing was written under the wanted name; what PostgreSQL said follows."""


class RestoreFailed(Unavailable, code="restore_failed"):
    """The dump could not be restored. The database is as it was before; what PostgreSQL said follows."""


class NotEmpty(Conflict, code="not_empty"):
    """The database already holds something, so nothing was restored. Ask for it to be replaced, or restore into
    an empty one."""


async def backup(url: str, target: Path, *, snapshot: str | None = None) -> None:
    """A whole dump appears under the wanted name, or none does. `snapshot` is one that an open transaction shares."""
    env = environment_of(url)
    binaries = await _binaries_for(env, DumpFailed)
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
    try:
        write_private(partial, "", None)
        shared = [] if snapshot is None else [f"--snapshot={snapshot}"]
        await _run([binaries.program("pg_dump"), "-w", "-Fc", *shared, "-f", str(partial)], env, DumpFailed)
        partial.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        if disk.is_full(error):
            raise disk.name_full("backups", error) from error
        raise DumpFailed(f"{target}: {error}") from error
    finally:
        partial.unlink(missing_ok=True)


async def restore(url: str, source: Path, *, replace: bool) -> None:
    """One transaction: all of it or nothing. `replace` first drops every schema in the database, whoever made it."""
    env = environment_of(url)
    if not source.is_file():
        raise RestoreFailed(f"there is no file {source}")
    binaries = await _binaries_for(env, RestoreFailed)
    psql = [binaries.program("psql"), "-X", "-w", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
    contents = await _run([*psql, "-c", SQL.list_contents.text], env, RestoreFailed)
    if contents and not replace:
        raise NotEmpty(f"for example {', '.join(contents.splitlines())}")
    with tempfile.TemporaryDirectory(prefix="pabal-restore-") as folder:
        # A file, not a pipe: psql would take the end of a broken pipe for the end of the dump, and commit.
        script = str(Path(folder) / "script.sql")
        # Owners and grants name users of the server it came from.
        convert = [binaries.program("pg_restore"), "--no-owner", "--no-privileges", "-f", script, str(source)]
        await _run(convert, env, RestoreFailed)
        clear = ["-c", SQL.drop_contents.text] if contents else []
        await _run([*psql, "--single-transaction", *clear, "-f", script], env, RestoreFailed)


async def read_dumped(url: str, source: Path, *, schema: str, table: str) -> list[dict[str, str]]:
    """The rows of one small table in a dump, as their texts; none if it is not there. `url` is where it would go."""
    if not source.is_file():
        raise RestoreFailed(f"there is no file {source}")
    program = (await _binaries_for(environment_of(url), RestoreFailed)).program("pg_restore")
    choice = ["--data-only", f"--schema={schema}", f"--table={table}"]
    lines = (await _run([program, *choice, "-f", "-", str(source)], {}, RestoreFailed)).splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith("COPY ")), len(lines))
    columns = lines[start].partition("(")[2].partition(")")[0].split(", ") if start < len(lines) else []
    end = next((number for number, line in enumerate(lines) if line == "\\."), start)
    return [dict(zip(columns, line.split("\t"), strict=True)) for line in lines[start + 1 : end]]


def environment_of(url: str) -> dict[str, str]:
    """The address as libpq's environment: a password on a command line is there for all to read."""
    scheme, found, rest = url.partition("://")
    if not found or scheme not in ("postgresql", "postgres"):
        raise NotAnAddress(f"it begins with {scheme[:20]!r}" if found else "there is no :// in it")
    address, _, query = rest.partition("?")
    authority, _, database = address.partition("/")
    credentials, _, hosts = authority.rpartition("@")
    user, _, password = credentials.partition(":")
    names = [_host_and_port(host) for host in hosts.split(",")] if hosts else []
    given = {
        "PGUSER": unquote(user),
        "PGPASSWORD": unquote(password),
        "PGDATABASE": unquote(database),
        "PGHOST": ",".join(host for host, _ in names),
        "PGPORT": ",".join(port for _, port in names) if any(port for _, port in names) else "",
    }
    given.update({_QUERY[name]: value for name, value in parse_qsl(query) if name in _QUERY})
    return {name: value for name, value in given.items() if value}


def _host_and_port(text: str) -> tuple[str, str]:
    """IPv6 addresses stand in brackets."""
    host, _, port = text.rpartition(":") if ":" in text.rpartition("]")[2] else (text, "", "")
    return unquote(host).strip("[]"), port


async def _binaries_for(env: Mapping[str, str], failure: type[Unavailable]) -> Binaries:
    """A newer program can dump an older server, never the other way round."""
    ask = [at_least(_OLDEST).program("psql"), "-X", "-w", "-A", "-t", "-c", r"\echo :SERVER_VERSION_NUM"]
    return at_least(int(await _run(ask, env, failure)) // 10000)


async def _run(command: list[str], env: Mapping[str, str], failure: type[Unavailable]) -> str:
    whole = {"PGCONNECT_TIMEOUT": "30", **os.environ, "LC_ALL": "C", **env}
    process = await asyncio.create_subprocess_exec(*command, env=whole, stdin=DEVNULL, stdout=PIPE, stderr=PIPE)
    try:
        output, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        told = errors.decode(errors="replace")
        # it has no words of its own for a file that may not grow any more
        if process.returncode == -signal.SIGXFSZ or disk.says_full(told):
            raise disk.name_full("backups", _what_went_wrong(told))
        raise failure(_what_went_wrong(told))
    return output.decode().strip()


def _what_went_wrong(errors: str) -> str:
    """Without the lines that quote rows: a row may hold what no log should."""
    told = [line for line in errors.splitlines() if any(word in line for word in ("ERROR", "FATAL", "error:"))]
    return "; ".join(told[:5]) or "no reason was given"
