"""Where a private PostgreSQL lives and whose it is: its files, its socket, the user that runs it."""

import hashlib
import os
import pwd
import re
import secrets
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pabal.base.embedded.processes import Account, NoAccount, can_run
from pabal.base.errors import Unavailable

# Root's fallback for what the server's user could not reach, such as a clone below /root.
STATE = Path("/var/lib/pabal")
PORT = 5432
_ACCOUNTS = ("postgres", "nobody")
# sun_path is 108 bytes with its end mark on Linux, 104 on macOS; PostgreSQL adds the name of the socket's lock file.
_SOCKET_BYTES = 103 - len(f"/.s.PGSQL.{PORT}.lock")
# PostgreSQL and the drivers split lists of sockets at commas and colons.
_PLAIN = re.compile(r"[A-Za-z0-9/._-]+")


class FolderUnusable(Unavailable, code="folder_unusable"):
    """The folder of the private PostgreSQL cannot be used as it is. Mend what is named here, choose another
    PABAL_DATA_DIR, or give PABAL_DATABASE_URL."""


@dataclass(frozen=True)
class Place:
    home: Path
    account: Account | None  # None: the server runs as ourselves

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def unfinished(self) -> Path:
        return self.home / "data.new"

    @property
    def password_file(self) -> Path:
        return self.home / "password"

    @property
    def lock_file(self) -> Path:
        return self.home / "lock"

    @property
    def settings_file(self) -> Path:
        return self.home / "server.conf"

    @property
    def start_log(self) -> Path:
        return self.home / "start.log"

    @property
    def stopped_mark(self) -> Path:
        """There after a wanted stop, so that nobody takes it for a crash."""
        return self.home / "stopped"

    @property
    def name(self) -> str:
        """In the title of each of its processes, which every user may read: orphans are known by it."""
        return f"pabal-{_digest(self.data)}"

    @property
    def uid(self) -> int:
        return self.account.uid if self.account else os.getuid()

    @property
    def socket_dir(self) -> Path:
        """Always the same for one folder, so that addresses outlive a restart."""
        near = self.home / "run"
        if len(os.fsencode(near)) <= _SOCKET_BYTES and _PLAIN.fullmatch(str(near)):
            return near
        return Path("/tmp") / f"pabal-{self.uid}-{_digest(self.home)}"  # noqa: S108 -- its owner is checked before use

    def has_cluster(self) -> bool:
        return (self.data / "PG_VERSION").is_file()

    def password(self) -> str:
        try:
            return self.password_file.read_text().strip()
        except FileNotFoundError as error:
            raise FolderUnusable(f"{self.password_file} is gone, and with it the way in; put it back") from error


def find_place(folder: Path) -> Place:
    """Looks only; nothing is made."""
    wanted = folder.expanduser().resolve()
    if os.geteuid() != 0:
        if wanted.exists() and wanted.stat().st_uid != os.getuid():
            raise FolderUnusable(f"{wanted} belongs to user {wanted.stat().st_uid}, not to {os.getuid()}")
        return Place(wanted, None)
    fallback = STATE / _digest(wanted)
    for home in (wanted, fallback):
        if Place(home, None).has_cluster():
            return Place(home, _owner(home / "data"))
    account = _unprivileged()
    # Not the folder itself: one that is just being made is still closed, and all who race must decide alike.
    return Place(wanted if can_enter(_nearest(wanted.parent), account) else fallback, account)


def prepare(place: Place) -> None:
    """Makes the folders; what root makes stays root's except for what the server itself must write."""
    try:
        if place.account:
            _make_open(place.home.parent)
        place.home.parent.mkdir(parents=True, exist_ok=True)
        _make_home(place)
        _make_dir(place.socket_dir, mode=0o700, account=place.account)
    except OSError as error:
        raise FolderUnusable(f"{place.home}: {error}") from error
    if place.account and not can_enter(place.home, place.account):
        raise FolderUnusable(
            f"{place.home} is closed to user {place.uid}, whose it is; open its parents with chmod a+x"
        )


def make_state() -> None:
    try:
        _make_open(STATE)
    except OSError as error:
        raise FolderUnusable(f"{STATE}: {error}") from error


def make_password(place: Place) -> None:
    """Before there is a cluster, so that none is ever without it."""
    if place.password_file.exists():
        return
    partial = place.home / "password.new"
    partial.unlink(missing_ok=True)
    write_private(partial, secrets.token_urlsafe(24), place.account)
    partial.replace(place.password_file)


def write_private(path: Path, text: str, account: Account | None) -> None:
    with open(path, "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        if account:
            os.fchown(file.fileno(), account.uid, account.gid)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def can_enter(folder: Path, account: Account) -> bool:
    return can_run(["/bin/sh", "-c", 'cd "$1"', "sh", str(folder)], account)


def sync_folder(folder: Path) -> None:
    """A rename is durable only when the folder that holds the name is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _owner(data: Path) -> Account:
    status = data.stat()
    if status.st_uid == 0:
        raise FolderUnusable(
            f"{data} belongs to root, as whom PostgreSQL does not run; give it to {_ACCOUNTS[0]} with chown -R"
        )
    return Account(status.st_uid, status.st_gid)


def _unprivileged() -> Account:
    for name in _ACCOUNTS:
        try:
            known = pwd.getpwnam(name)
        except KeyError:
            continue
        account = Account(known.pw_uid, known.pw_gid)
        if can_enter(Path("/"), account):
            return account
    raise NoAccount(f"none of {', '.join(_ACCOUNTS)} exists, or we may not become them")


def _nearest(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


def _make_open(folder: Path) -> None:
    """Like mkdir -p, but whatever the umask, other users may pass through what is made here."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        # Opened before it has its name, so that nobody ever meets it closed.
        partial = Path(tempfile.mkdtemp(prefix=".pabal-", dir=path.parent))
        partial.chmod(0o755)
        try:
            partial.rename(path)
        except OSError:
            partial.rmdir()
            if not path.is_dir():
                raise


def _make_home(place: Place) -> None:
    if place.home.exists() and place.home.stat().st_uid == place.uid:
        return
    _make_dir(place.home, mode=0o711 if place.account else 0o700, account=None)


def _make_dir(folder: Path, *, mode: int, account: Account | None) -> None:
    """Also finishes one whose maker was killed before it had given it away. A name in /tmp may be somebody else's."""
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise FolderUnusable(f"{folder} is no folder")
    if status.st_uid == os.geteuid():
        folder.chmod(stat.S_IMODE(status.st_mode) | mode)
        if account:
            os.chown(folder, account.uid, account.gid)
    elif account is None or status.st_uid != account.uid:
        raise FolderUnusable(f"{folder} belongs to user {status.st_uid}")


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
