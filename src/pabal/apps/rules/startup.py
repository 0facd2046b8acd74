"""What rules read from the environment when a server starts: where scripts lie, and what rules may allow them."""

from pydantic import Field, field_validator

from pabal.base.settings import AppSettings, split_list


class RulesStartup(AppSettings, env_prefix="PABAL_RULES_"):
    repository: str = Field("", description="Folder of the Git repository with the rule scripts. Empty: no scripts.")
    script_network: bool = Field(
        False, description="Whether a rule may allow its script the network; held only where scripts are isolated."
    )
    script_folders: str = Field(
        "",
        description="Folders that a rule may let its script read, with everything below them, separated by commas. "
        "Empty: none besides its own.",
    )
    script_write_folders: str = Field(
        "", description="Folders that a rule may let its script change and read, separated by commas. Empty: none."
    )

    @field_validator("script_folders", "script_write_folders")
    @classmethod
    def _check_folders(cls, value: str) -> str:
        if not all(one.startswith("/") and one.strip("/") for one in split_list(value)):
            raise ValueError("write whole paths of folders, such as /srv/data,/srv/reports")
        return value
