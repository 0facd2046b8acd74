"""How REST reads what the descriptions of the relay name: ids as programs write them, codes, notes."""

from typing import Annotated
from uuid import UUID

from fastapi import Path
from pydantic import AfterValidator, Field

from pabal.apps.relay.model.pairing import read_code
from pabal.apps.relay.resources.names import ACCOUNT_EXAMPLE, MESSAGE_EXAMPLE
from pabal.platform.web.filters import Text, Word

AccountId = Annotated[UUID, Path(description="The account's id.", examples=[ACCOUNT_EXAMPLE])]
MessageId = Annotated[UUID, Path(description="The message's id.", examples=[MESSAGE_EXAMPLE])]
CodeTyped = Annotated[
    str,
    AfterValidator(read_code),
    Path(description="The code.", pattern="^[A-Za-z2-9]{4}-?[A-Za-z2-9]{4}$", examples=["ABCD-2345"]),
]
CodeNotes = Annotated[dict[Word, Text], Field(max_length=20)]
