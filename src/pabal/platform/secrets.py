"""Vault: secrets at rest are sealed with the text of PABAL_SECRET_KEY, or in development with a key file."""

import base64
import hmac
import os
import secrets
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from pabal.base.errors import Invalid, Unavailable
from pabal.base.settings import Settings

SHORTEST = 16


class BadSecretKey(Invalid, code="bad_secret_key"):
    """PABAL_SECRET_KEY needs 16 characters or more, best from `openssl rand -base64 32`. Several are separated by
    commas: the first seals, all of them open."""


class CannotUnseal(Unavailable, code="cannot_unseal"):
    """A stored secret was sealed with a key that is not in PABAL_SECRET_KEY. Add the earlier key behind a comma and
    restart, or enter the secret again."""


class Vault:
    """`keys` are texts separated by commas: the first seals, all open. To rotate, put the new one in front."""

    def __init__(self, keys: str) -> None:
        texts = [text.strip() for text in keys.split(",") if text.strip()]
        if not texts or min(map(len, texts)) < SHORTEST:
            raise BadSecretKey
        self._first = texts[0]
        self._fernet = MultiFernet([Fernet(_derive(text)) for text in texts])

    @classmethod
    def from_file(cls, path: Path) -> "Vault":
        """For development: the key is made at the first start. Whoever has the file can open every secret."""
        if not path.exists():
            _make(path)
        return cls(path.read_text(encoding="ascii"))

    def seal(self, text: str) -> str:
        return self._fernet.encrypt(text.encode()).decode("ascii")

    def open(self, sealed: str) -> str:
        try:
            return self._fernet.decrypt(sealed.encode()).decode()
        except InvalidToken as error:
            raise CannotUnseal from error

    def fingerprint(self, text: str, *, purpose: str) -> str:
        """Equal for equal texts, and useless to whoever guesses them without the key. With another first key it is
        another one."""
        key = _derive(self._first, f"pabal fingerprint: {purpose}")
        return hmac.new(key, text.encode(), "sha256").hexdigest()

    def __repr__(self) -> str:
        return "Vault(…)"


def find_vault(settings: Settings) -> Vault:
    """That of every server with these settings."""
    return Vault(settings.secret_key) if settings.secret_key else Vault.from_file(key_file(settings))


def key_file(settings: Settings) -> Path:
    """Where the key is in development."""
    return settings.data_dir / "secret.key"


def _derive(text: str, purpose: str = "pabal vault") -> bytes:
    derived = HKDF(hashes.SHA256(), 32, salt=None, info=purpose.encode()).derive(text.encode())
    return base64.urlsafe_b64encode(derived)


def _make(path: Path) -> None:
    """Written whole under another name, then linked: of two processes one wins, and neither reads half a key."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(32))
            file.flush()
            os.fsync(descriptor)
        _link(draft, path)
    finally:
        draft.unlink()


def _link(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        # Somebody else's key was first, and is the one to use.
        return
