"""How a webhook is signed: as Standard Webhooks says, so that receivers find a library for it. Pure.

HMAC-SHA256 over `id.timestamp.body`, in the header `webhook-signature` as `v1,BASE64`. While a secret is being
replaced there are two, and a receiver that knows either is content.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime

PREFIX = "whsec_"
_BYTES = 32


def make_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def sign(secret: str, delivery: str, timestamp: int, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    told = f"{delivery}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, told, hashlib.sha256).digest()).decode()


def make_headers(secrets_: Sequence[str], delivery: str, at: datetime, body: bytes) -> dict[str, str]:
    timestamp = int(at.timestamp())
    return {
        "webhook-id": delivery,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(sign(one, delivery, timestamp, body) for one in secrets_),
    }
