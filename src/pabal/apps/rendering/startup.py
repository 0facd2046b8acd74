"""What rendering reads from its environment when a process starts: this server's slots, its nexrender, its paths.

The names of the requirements work as well: NEXRENDER_API_URL, NAS_MOUNT_PATH, WORKER_ID and the others.
"""

import ipaddress
from functools import lru_cache
from typing import Self
from urllib.parse import urlsplit
from uuid import UUID, uuid5

from pydantic import AliasChoices, Field, field_validator, model_validator

from pabal.base.settings import AppSettings, read_app_settings

PREFIX = "PABAL_RENDERING_"
# Slots of a server are named after it; a WORKER_ID that is no UUID becomes one in here.
WORKERS = UUID("6f0a5a0e-6a57-4c1b-8f0e-2f6f5a3c9d11")


def _also(name: str, seed: str) -> AliasChoices:
    return AliasChoices(f"{PREFIX}{name.upper()}", seed)


class RenderingStartup(AppSettings, env_prefix=PREFIX):
    nexrender_url: str = Field(
        "",
        validation_alias=_also("nexrender_url", "NEXRENDER_API_URL"),
        description="Address of this server's nexrender, such as http://127.0.0.1:3000. Empty: this server has no "
        "slots. Also read from NEXRENDER_API_URL.",
    )
    nexrender_secret: str = Field(
        "", repr=False, description="What nexrender expects in its header nexrender-secret. Empty: nothing is sent."
    )
    nexrender_networks: str = Field(
        "127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7",
        description="Networks nexrender may be in, separated by commas. It asks for no password worth the name, so it "
        "belongs in the local network or a VPN.",
    )
    worker_id: str = Field(
        "",
        validation_alias=_also("worker_id", "WORKER_ID"),
        description="Names this server among render workers; a UUID or any text. Its slots are derived from it. "
        "Empty: the host's name. Also read from WORKER_ID.",
    )
    worker_name: str = Field("", description="What people call this worker. Empty: Worker.")
    slots: int = Field(1, ge=1, le=64, description="How many render at once here: as many as After Effects licences.")
    nas_mount_path: str = Field(
        "",
        validation_alias=_also("nas_mount_path", "NAS_MOUNT_PATH"),
        description="Where the NAS is mounted on this server. Also read from NAS_MOUNT_PATH.",
    )
    nas_output_dir: str = Field(
        "output",
        validation_alias=_also("nas_output_dir", "NAS_OUTPUT_DIR"),
        description="Folder below the mount for finished films. Also read from NAS_OUTPUT_DIR.",
    )
    nas_unc: str = Field(
        "", description="The same place as people open it, such as \\\\NAS\\broadcast. Empty: the path itself is shown."
    )
    aep_template_dir: str = Field(
        "",
        validation_alias=_also("aep_template_dir", "AEP_TEMPLATE_DIR"),
        description="Folder of the AEP templates as the worker sees it. Also read from AEP_TEMPLATE_DIR.",
    )
    output_dir: str = Field(
        "",
        description="Folder nexrender writes films to, as the worker with After Effects sees it, such as D:/output.",
    )
    paths: str = Field(
        "",
        description="What folders are called by this server, by the worker with After Effects and on the NAS, "
        "separated by semicolons: `output = /mnt/output | D:/output; templates = /mnt/aep | D:/templates`. "
        "Empty: all see the same paths.",
    )

    @field_validator("nexrender_url")
    @classmethod
    def _check_url(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None):
            raise ValueError("write it as http://host:port")
        return value.rstrip("/")

    @model_validator(mode="after")
    def _check_places(self) -> Self:
        """A film must go somewhere; no path is made up."""
        if self.nexrender_url and not (self.nas_mount_path and self.output_dir):
            raise ValueError("with a nexrender, NAS_MOUNT_PATH and PABAL_RENDERING_OUTPUT_DIR must be set too")
        return self

    @field_validator("nexrender_networks")
    @classmethod
    def _check_networks(cls, value: str) -> str:
        try:
            read_networks(value)
        except ValueError as error:
            raise ValueError("write networks such as 10.0.0.0/8,fc00::/7") from error
        return value


class RenderingVariables(AppSettings):
    """Numbers that the requirements read from variables. They are the defaults of settings of the same meaning; what an
    operator chose in the settings counts more."""

    max_retries: int = Field(3, ge=0, le=20, validation_alias="MAX_RETRIES")
    base_retry_delay: int = Field(60, ge=1, le=3600, validation_alias="BASE_RETRY_DELAY")
    poll_interval_default: int = Field(10, ge=1, le=3600, validation_alias="POLL_INTERVAL_DEFAULT")
    poll_interval_idle: int = Field(30, ge=1, le=3600, validation_alias="POLL_INTERVAL_IDLE")


def read_networks(text: str) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
    return tuple(ipaddress.ip_network(part.strip()) for part in text.split(",") if part.strip())


@lru_cache(maxsize=1)
def read_variables() -> RenderingVariables:
    return read_app_settings(RenderingVariables)


def worker_uuid(worker_id: str) -> UUID:
    try:
        return UUID(worker_id)
    except ValueError:
        return uuid5(WORKERS, worker_id)


def slot_uuid(worker_id: str, number: int) -> UUID:
    return uuid5(worker_uuid(worker_id), f"slot {number}")
