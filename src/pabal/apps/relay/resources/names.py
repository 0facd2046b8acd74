"""The requirement's words at the edge: states in capitals, and where the descriptions find what they name."""

from enum import StrEnum

APP = "pabal.apps.relay"
STATUS_WORDS = f"{APP}.labels:STATUS"
FINDING, READINGS, ROWS = f"{APP}.cli.finding", f"{APP}.api.readings", f"{APP}.resources.rows"
FIND_UNIT = "pabal.platform.commands.options:find_unit_id"
ACCOUNT_EXAMPLE = "0b6b1d4e-5f0a-4c3e-9a51-2f1f0d8f7c11"
MESSAGE_EXAMPLE = "6f1f2f1e-93a5-4d52-8a0e-4e2a9b1c7d33"
KEY_EXAMPLE = "b0ts:kim"


class ConversationStatus(StrEnum):
    """A state in capitals: str.upper() is the only mapping."""

    UNPAIRED = "UNPAIRED"
    PENDING = "PENDING"
    PAIRED = "PAIRED"
    BLOCKED = "BLOCKED"


class MessageStatus(StrEnum):
    QUEUED = "QUEUED"
    DELIVERED = "DELIVERED"
    ACKED = "ACKED"
    EXPIRED = "EXPIRED"
    FAILED = "FAILED"
