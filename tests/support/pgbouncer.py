"""A real PgBouncer in front of the tests' cluster. It is skipped where it is not installed."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit

import pytest

from tests.support.ports import free_port

TRIES = 5
CEILING = 30.0
PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

needs_pgbouncer = pytest.mark.skipif(PROGRAM is None, reason="PgBouncer is not installed (Debian: pgbouncer)")


@contextmanager
def pgbouncer(url: str, *, mode: str, size: int = 2, **settings: str) -> Iterator[str]:
    """The address of the same database through it. All else is as it comes, but for what `settings` say."""
    given = {"pool_mode": mode, "default_pool_size": str(size), **settings}
    account = _account(url)
    with tempfile.TemporaryDirectory(prefix="pabal-pgbouncer-") as name:
        folder = Path(name)
        process, port = _start(folder, url, given, account)
        try:
            parts = urlsplit(url)
            yield f"postgresql://{parts.username}:{quote(unquote(parts.password or ''))}@127.0.0.1:{port}{parts.path}"
        finally:
            process.kill()
            process.wait()


def _start(
    folder: Path, url: str, settings: dict[str, str], account: pwd.struct_passwd | None
) -> tuple[subprocess.Popen[bytes], int]:
    assert PROGRAM is not None
    for _ in range(TRIES):
        port = free_port()
        config = _configure(folder, url, {**settings, "listen_port": str(port)}, account)
        as_whom = {} if account is None else {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        process = subprocess.Popen([PROGRAM, "-q", str(config)], **as_whom)
        if _is_listening(process, port):
            return process, port
    raise AssertionError((folder / "log").read_text())


def _configure(folder: Path, url: str, settings: dict[str, str], account: pwd.struct_passwd | None) -> Path:
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    host = parts.hostname or query["host"][0]
    port = parts.port or query.get("port", ["5432"])[0]
    said = {
        "listen_addr": "127.0.0.1",
        "unix_socket_dir": "",
        "auth_file": str(folder / "users"),
        "logfile": str(folder / "log"),
        **settings,
    }
    lines = [f"{name} = {value}" for name, value in said.items()]
    (folder / "users").write_text(f'"{parts.username}" "{unquote(parts.password or "")}"\n')
    config = folder / "pgbouncer.ini"
    config.write_text("\n".join(["[databases]", f"* = host={host} port={port}", "[pgbouncer]", *lines, ""]))
    if account is not None:
        for path in (folder, config, folder / "users"):
            os.chown(path, account.pw_uid, account.pw_gid)
    return config


def _account(url: str) -> pwd.struct_passwd | None:
    """It refuses to run as root: then as whoever runs the cluster, whose socket is closed to others."""
    if os.geteuid() != 0:
        return None
    host = parse_qs(urlsplit(url).query).get("host", [""])[0]
    return pwd.getpwuid(Path(host).stat().st_uid) if host.startswith("/") else pwd.getpwnam("nobody")


def _is_listening(process: subprocess.Popen[bytes], port: int) -> bool:
    end = time.monotonic() + CEILING
    while process.poll() is None and time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
        time.sleep(0.01)
    return False
