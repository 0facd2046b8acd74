"""Secrets that we make, show once and store as SHA-256 only: they are long and random, so a plain digest is enough."""

import hashlib
import hmac
import secrets


def new_secret(prefix: str = "") -> str:
    return prefix + secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def csrf_of(key: str) -> str:
    """Derived from the session's key, so that nothing more is stored and it ends with the session."""
    return hmac.new(key.encode("utf-8", "surrogatepass"), b"pabal csrf", hashlib.sha256).hexdigest()


def is_same(given: str, wanted: str) -> bool:
    """Tells nothing by how long it takes."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode("utf-8", "surrogatepass"))
