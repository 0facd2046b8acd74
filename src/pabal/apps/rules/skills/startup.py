"""What sources and skills read from the environment when a process starts: modules, networks, a model's command."""

import os
from collections.abc import Mapping

from pydantic import Field, field_validator

from pabal.apps.rules.outside.fetching import read_scheme
from pabal.apps.rules.skills.llm import read_command
from pabal.base.errors import Invalid
from pabal.base.settings import AppSettings, parse_networks, split_list


class SkillsStartup(AppSettings, env_prefix="PABAL_RULES_"):
    sources: str = Field(
        "",
        description="Data sources of your own, separated by commas: `module:NAME`, where NAME is a list of them.",
    )
    networks: str = Field(
        "",
        description="Private networks that sources and feeds may be read from, also without TLS, such as "
        "`10.0.0.0/24`, separated by commas. Empty: public addresses by https only.",
    )
    llm_command: str = Field(
        "",
        description="The program a language model is asked with: a JSON list of words; the prompt comes on stdin. "
        '`{model}` in a word is the model, as in `["ollama", "run", "{model}"]`.',
    )
    llm_environment: str = Field(
        "GEMINI_API_KEY,GOOGLE_GEMINI_BASE_URL,OLLAMA_HOST",
        description="Names of variables that this program gets of the server's environment, separated by commas.",
    )

    embedding_url: str = Field(
        "",
        description="Where a model of meanings is asked, as OpenAI's API is: `https://…/v1/embeddings`. Without TLS "
        "only in PABAL_RULES_NETWORKS. Empty: cases are found by their words.",
    )
    embedding_key: str = Field("", description="The key of that API, where it wants one.", repr=False)

    @field_validator("embedding_url")
    @classmethod
    def _check_address(cls, value: str) -> str:
        if value and read_scheme(value) is None:
            raise ValueError("write an address such as https://api.example.com/v1/embeddings")
        return value

    @field_validator("networks")
    @classmethod
    def _check_networks(cls, value: str) -> str:
        try:
            parse_networks(value)
        except ValueError as error:
            raise ValueError("write addresses or networks, such as 10.0.0.0/24,fc00::/7") from error
        return value

    @field_validator("llm_command")
    @classmethod
    def _check_command(cls, value: str) -> str:
        try:
            _ = value and read_command(value)
        except Invalid as error:
            raise ValueError(str(error)) from error
        return value

    def read_environment(self, server: Mapping[str, str] | None = None) -> dict[str, str]:
        """What a program may know of this server's environment."""
        found = os.environ if server is None else server
        return {name: found[name] for name in split_list(self.llm_environment) if name in found}
