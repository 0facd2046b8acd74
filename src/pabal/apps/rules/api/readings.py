"""How REST reads what the descriptions of rules name: ids, JSON objects, callbacks as a list or one object."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Path
from pydantic import BeforeValidator, Field

from pabal.apps.rules.model.callbacks import as_list
from pabal.apps.rules.resources.names import RULE_EXAMPLE, RUN_EXAMPLE

RuleId = Annotated[UUID, Path(description="The rule's id.", examples=[RULE_EXAMPLE])]
RunId = Annotated[UUID, Path(description="The run's id.", examples=[RUN_EXAMPLE])]
JsonObject = Annotated[dict[str, Any], Field(max_length=200)]
Callbacks = Annotated[list[dict[str, Any]], BeforeValidator(as_list), Field(max_length=20)]
Folders = Annotated[list[Annotated[str, Field(max_length=500)]], Field(max_length=20)]
