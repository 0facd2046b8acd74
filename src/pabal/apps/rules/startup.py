"""What rules read from the environment when a server starts: where scripts lie, which command asks a model.

A command is not a setting: whoever may change settings must not be able to run anything on the server.
"""

from pydantic import Field

from pabal.base.settings import AppSettings


class RulesStartup(AppSettings, env_prefix="PABAL_RULES_"):
    repository: str = Field("", description="Folder of the Git repository with the rule scripts. Empty: no scripts.")
    llm_command: str = Field(
        "",
        description="Command that reads a prompt on its standard input and writes the answer, such as gemini -p - "
        "-o json. Empty: an offline stand-in that shortens the text.",
    )
    llm_seconds: float = Field(120, description="How long the command may take.")
