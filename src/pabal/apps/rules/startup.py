"""What rules read from the environment when a server starts: where scripts lie. `skills.startup` has the rest."""

from pydantic import Field

from pabal.base.settings import AppSettings


class RulesStartup(AppSettings, env_prefix="PABAL_RULES_"):
    repository: str = Field("", description="Folder of the Git repository with the rule scripts. Empty: no scripts.")
    script_network: bool = Field(
        False, description="Whether scripts may use the network; held only where they are isolated."
    )
