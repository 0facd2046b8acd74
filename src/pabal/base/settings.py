"""One frozen Settings, read once: what a caller gives, the environment (PABAL_…), pabal.toml, the defaults."""

import ipaddress
import os
import re
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar
from urllib.parse import quote

from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from pabal.base.errors import Invalid

PREFIX = "PABAL_"
ROLES = ("web", "worker", "scheduler", "render")
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|w)")
# Users and hosts may hold anything; ports are numbers.
_HOST = r"(?:\[[^]]*]|[^/?,:]*)(?::\d*)?"
_LABEL = re.compile(r"[a-z][a-z0-9_-]*")
_ADDRESS = re.compile(rf"postgres(?:ql)?://(?:[^/?]*@)?{_HOST}(?:,{_HOST})*(?:[/?].*)?")
_URL = re.compile(r"https?://[^/?#@\s]+/?")
_UNITS = {"ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class SettingsInvalid(Invalid, code="settings_invalid"):
    """A setting cannot be used as it is. docs/operations/settings.md lists them all."""


class BadDuration(Invalid, code="bad_duration"):
    """A duration is a number and a unit, such as 500ms, 20s, 5m, 24h, 35d or 2w."""


def parse_duration(text: str) -> timedelta:
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise BadDuration(text)
    try:
        return timedelta(**{_UNITS[found[2]]: float(found[1])})
    except OverflowError as error:
        raise BadDuration(text) from error


def show_duration(duration: timedelta) -> str:
    """The shortest way to write it that `parse_duration` reads."""
    for unit, name in reversed(_UNITS.items()):
        count, rest = divmod(duration, timedelta(**{name: 1}))
        if not rest and unit != "w":
            return f"{count}{unit}"
    return f"{duration.total_seconds()}s"


def _read_duration(value: object) -> object:
    try:
        return parse_duration(value) if isinstance(value, str) else value
    except BadDuration as error:
        raise ValueError(str(error)) from error


Exposure = Literal["open", "token", "off"]
Duration = Annotated[timedelta, BeforeValidator(_read_duration), Field(gt=timedelta(0))]


class _Supabase(PydanticBaseSettingsSource):
    """Supabase's variables, where nothing else names the database: a project's database is a PostgreSQL like any other.
    Its key opens a web API that is not used here, so it only counts as the password of an address that has none."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        address = os.environ.get("SUPABASE_DB_URL") or os.environ.get("SUPABASE_URL")
        if not address:
            return {}
        return {"database_url": _add_password(address, os.environ.get("SUPABASE_KEY", ""))}


def _add_password(address: str, password: str) -> str:
    """Into an address with a user and without a password."""
    scheme, _, rest = address.partition("://")
    user, found, place = rest.partition("@")
    if not password or not found or ":" in user or "/" in user:
        return address
    return f"{scheme}://{user}:{quote(password, safe='')}@{place}"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid")

    database_url: str | None = Field(
        None,
        repr=False,
        description="Address of a PostgreSQL 15 to 18, as `postgresql://user:password@host:port/database`. "
        "Empty: Pabal makes and runs a private one of its own. Also read from `SUPABASE_DB_URL`, or from "
        "`SUPABASE_URL` where that is such an address; `SUPABASE_KEY` is then its password, if it has none.",
    )
    pages_url: str | None = Field(
        None,
        repr=False,
        description="A second address of the same database for what the console and REST read; it may lead through a "
        "pooler such as PgBouncer in transaction mode. `PABAL_DATABASE_URL` may not. Empty: the same address for both.",
    )
    data_dir: Path = Field(
        Path("data"),
        description="Folder of the private PostgreSQL, of files and backups, and of this host's lock files. "
        "Relative to the folder Pabal is started in.",
    )
    mode: Literal["development", "production"] = Field(
        "development",
        description="production: refuses to start without a secret key and without a public address, and has no demo.",
    )
    secret_key: str | None = Field(
        None,
        repr=False,
        description="Encrypts what is kept secret in the database, such as bot tokens: any long random text, the same "
        "on every server. Several separated by commas: the first encrypts, all decrypt. "
        "Empty, in development: a key is made in the data folder.",
    )
    public_url: str = Field(
        "",
        description="Address people reach the console at, such as `https://pabal.example.com`; https makes cookies "
        "secure. Empty: the address the web server listens on.",
    )
    trusted_proxies: str = Field(
        "",
        description="Addresses and networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, "
        "separated by commas, such as `127.0.0.1,10.0.0.0/24`; the client is the right-hand address that is none of "
        "them. `*` believes whoever connects and is warned about. Empty: none.",
    )
    demo_from_anywhere: bool = Field(
        False,
        description="Lets the demo's people, whose password everybody knows, sign in from other machines too: for a "
        "demo in a container or behind a proxy. Counts only with `pabal up --demo`.",
    )
    telegram_url: str = Field(
        "https://api.telegram.org", description="Address of Telegram's Bot API, or of the simulator."
    )
    webhook_networks: str = Field(
        "",
        description="Private networks that webhooks may be posted into, also without TLS, such as `10.0.0.0/24`, "
        "separated by commas. Empty: webhooks go to public addresses by https only.",
    )
    smtp_url: str = Field(
        "",
        repr=False,
        description="Address of the mail server, as `smtp://user:password@host:587` (STARTTLS) or "
        "`smtps://user:password@host:465`; `smtp://host:25?tls=none` without TLS. Empty: no e-mail is sent.",
    )
    mail_from: str = Field(
        "", description="Mailbox that e-mail is sent from. Empty: the user of `PABAL_SMTP_URL`, or pabal at its host."
    )
    storage_url: str = Field(
        "",
        repr=False,
        description="Where files are kept: a folder, or a bucket as `s3://KEY:SECRET@host/bucket?region=REGION` "
        "(`&tls=none` without TLS). Empty: Supabase's bucket if SUPABASE_URL, SUPABASE_S3_KEY and SUPABASE_S3_SECRET "
        "are set, otherwise `files` in the data folder.",
    )
    storage_also: str = Field(
        "",
        repr=False,
        description="A second store, where files may still be while they are moved: it is read, never written.",
    )
    host: str = Field("127.0.0.1", description="Address the web server listens on.")
    port: int = Field(
        8420, ge=0, le=65535, description="Port of the web server; the next free one if it is taken. 0: any free one."
    )
    web_connections: int = Field(
        1000,
        ge=10,
        le=100_000,
        description="Most connections of the web server at once. When there are more, the one that has waited longest "
        "without a whole request is closed.",
    )
    web_connections_per_address: int = Field(
        100,
        ge=1,
        le=100_000,
        description="Most connections of one address on which nobody has signed in. Those of trusted proxies are not "
        "counted.",
    )
    metrics: Literal["auto", "open", "token", "off"] = Field(
        "auto",
        description="Who may read `/metrics`. open: everybody who reaches the port; token: an API token of the head "
        "office with the scope `metrics:read`; off: nobody. auto: open in development, token in production.",
    )
    openapi: Literal["auto", "open", "token", "off"] = Field(
        "auto",
        description="Who may read `/openapi.json` and `/docs`. open: everybody who reaches the port; token: whoever is "
        "signed in or has an API token; off: nobody. auto: open in development, token in production.",
    )
    roles: str = Field(",".join(ROLES), description="What a server started by `pabal serve` does, separated by commas.")
    server_labels: str = Field(
        "", description="What this server has that some work needs, such as `gpu,nas`, separated by commas."
    )
    apps: str = Field(
        "pabal.apps.messaging,pabal.apps.adgroups,pabal.apps.relay,pabal.apps.rendering,pabal.apps.rules",
        description="What to load, separated by commas: `module:ATTRIBUTE` or `path/to/file.py:ATTRIBUTE`; "
        "the attribute is `SLICE` if it is left out.",
    )
    lang: Literal["auto", "en", "ko"] = Field(
        "auto", description="Language of what the command line says. auto: as `LC_ALL`, `LC_MESSAGES` or `LANG` say."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least level logged. At a terminal it is warning unless this is set."
    )
    log_format: Literal["auto", "json", "text"] = Field(
        "auto", description="auto: text at a terminal, one JSON object per line otherwise."
    )
    concurrency: int = Field(16, ge=1, le=1000, description="How many handlers one server runs at once.")
    routed_concurrency: int = Field(
        200,
        ge=1,
        le=10000,
        description="How many handlers of work for live connections, such as bots, one server runs beside those.",
    )
    pool_size: int = Field(
        20,
        ge=2,
        le=200,
        description="Most database connections of one server for its work. Besides, it has five for itself and, with "
        "the role web, up to 26: 10 for pages, 10 for changes, 6 to find out who is asking.",
    )
    reconnect_wait: Duration = Field(
        timedelta(seconds=10),
        description="How long a server that just started judges nothing as too late, so that bots can reconnect.",
    )
    bots_host: str = Field(
        "127.0.0.1", description="Address the bot server listens on; 0.0.0.0 for phones in the network."
    )
    bots_port: int = Field(1490, ge=0, le=65535, description="Port of the bot server. 0: any free one.")
    broker_url: str = Field(
        "",
        repr=False,
        description="Address of the broker that events come in by and facts go out by: `redis://host:port` (Redis "
        "Streams) or `kafka://host:port`. Empty: none. Needs the extra `broker`.",
    )
    serving_url: str = Field(
        "",
        repr=False,
        description="Address of the Redis that ad servers read, as `redis://host:port/0`. Empty: nothing is written "
        "for them. Needs the extra `broker`.",
    )
    shutdown_grace: Duration = Field(
        timedelta(seconds=20),
        description="How long a stopping server lets running handlers finish before it hands their jobs back.",
    )
    keep_jobs: Duration = Field(timedelta(days=35), description="How long ended jobs and their outcomes are kept.")
    keep_facts: Duration = Field(timedelta(days=35), description="How long delivered facts are kept.")
    keep_occurrences: Duration = Field(timedelta(days=400), description="How long ended occurrences are kept.")

    @property
    def postgres_dir(self) -> Path:
        """Where the private PostgreSQL lives."""
        return self.data_dir / "postgres"

    @property
    def is_production(self) -> bool:
        return self.mode == "production"

    def exposure(self, of: Literal["metrics", "openapi"]) -> Exposure:
        """Who may read it, once the mode has decided what is left to it."""
        chosen: Literal["auto", "open", "token", "off"] = getattr(self, of)
        if chosen == "auto":
            return "token" if self.is_production else "open"
        return chosen

    @model_validator(mode="after")
    def _check_production(self) -> Self:
        """What must not be made up by itself where real people depend on it."""
        if self.is_production and not (self.secret_key and self.public_url):
            raise ValueError("in production, PABAL_SECRET_KEY and PABAL_PUBLIC_URL must be set")
        return self

    @field_validator("public_url", "telegram_url")
    @classmethod
    def _check_url(cls, value: str) -> str:
        if value and _URL.fullmatch(value) is None:
            raise ValueError("write it as https://host or http://host:port, without a path")
        return value.rstrip("/")

    @field_validator("trusted_proxies", "webhook_networks")
    @classmethod
    def _check_proxies(cls, value: str) -> str:
        try:
            parse_networks(value)
        except ValueError as error:
            raise ValueError("write addresses or networks, such as 127.0.0.1,10.0.0.0/24") from error
        return value

    @field_validator("database_url", "pages_url")
    @classmethod
    def _check_address(cls, value: str | None) -> str | None:
        """What the driver would stumble over with a traceback; everything else it names itself."""
        if value is not None and value.startswith(("https://", "http://")):
            raise ValueError(
                "this is the address of a web API, such as that of a Supabase project. Set PABAL_DATABASE_URL or "
                "SUPABASE_DB_URL to the database's own: postgresql://user:password@host:5432/database"
            )
        if value is not None and _ADDRESS.fullmatch(value) is None:
            raise ValueError("write it as postgresql://user:password@host:port/database")
        return value

    @field_validator("server_labels")
    @classmethod
    def _check_labels(cls, value: str) -> str:
        if any(_LABEL.fullmatch(one) is None for one in split_list(value)):
            raise ValueError("labels are words in small letters, separated by commas")
        return value

    @field_validator("roles")
    @classmethod
    def _check_roles(cls, value: str) -> str:
        parse_roles(value)
        return value

    @property
    def labels(self) -> frozenset[str]:
        return frozenset(split_list(self.server_labels))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (
            init_settings,
            env_settings,
            TomlConfigSettingsSource(settings_cls, config_file()),
            _Supabase(settings_cls),
        )


class AppSettings(BaseSettings):
    """What an app reads once, from variables of its own prefix, when a process starts."""

    model_config = SettingsConfigDict(env_ignore_empty=True, frozen=True)


A = TypeVar("A", bound=AppSettings)


def read_app_settings(kind: type[A]) -> A:
    """The message never quotes a value: it may be a secret."""
    try:
        return kind()
    except ValidationError as error:
        prefix = str(kind.model_config.get("env_prefix", ""))
        faults = [f"{prefix}{'_'.join(map(str, one['loc'])).upper()}: {one['msg']}" for one in error.errors()]
        raise SettingsInvalid("; ".join(faults)) from None


def config_file() -> Path:
    return Path(os.environ.get("PABAL_CONFIG", "pabal.toml"))


def read_settings(**given: Any) -> Settings:
    """What is given beats all else; None counts as not given. The message never quotes a value: it may be a secret."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        faults = [f"{PREFIX}{'_'.join(map(str, one['loc'])).upper()}: {one['msg']}" for one in error.errors()]
        raise SettingsInvalid("; ".join(faults)) from None
    except ValueError as error:
        raise SettingsInvalid(f"{config_file()}: {error}") from error


def parse_roles(text: str) -> frozenset[str]:
    roles = frozenset(part.strip() for part in text.split(",") if part.strip())
    if not roles or not roles <= set(ROLES):
        raise ValueError(f"roles are {', '.join(ROLES)}, separated by commas")
    return roles


def split_list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def parse_networks(text: str) -> tuple[Network, ...]:
    """`*` is everybody."""
    everybody = ("0.0.0.0/0", "::/0")
    parts = [part for one in split_list(text) for part in (everybody if one == "*" else (one,))]
    return tuple(ipaddress.ip_network(part) for part in parts)


def trusts_everybody(text: str) -> bool:
    return any(network.prefixlen == 0 for network in parse_networks(text))


def reference() -> str:
    """The page docs/operations/settings.md, which `python -m pabal.base.settings` prints."""
    return "\n".join(_reference_lines()) + "\n"


def _reference_lines() -> Iterator[str]:
    yield "# Settings"
    yield ""
    yield "<!-- Written by `python -m pabal.base.settings`; do not edit by hand. -->"
    yield ""
    yield "Read once, when a process starts. What a command's own option says comes first, then the environment"
    yield "variable, then the file `pabal.toml` in the folder Pabal is started in (or the one `PABAL_CONFIG` names),"
    yield "then the default."
    yield "A name in the file that does not exist is refused. Durations are a number and a unit: `500ms`, `20s`, `5m`,"
    yield "`24h`, `35d`."
    yield ""
    yield "| Environment | In `pabal.toml` | Default | What it is |"
    yield "|---|---|---|---|"
    for name, info in Settings.model_fields.items():
        yield f"| `{PREFIX}{name.upper()}` | `{name}` | {_show_default(info)} | {_describe(info)} |"


def _show_default(info: FieldInfo) -> str:
    value = info.default
    if value is None or value == "":
        return "empty"
    return f"`{show_duration(value) if isinstance(value, timedelta) else value}`"


def _describe(info: FieldInfo) -> str:
    choices = getattr(info.annotation, "__args__", ()) if "Literal" in str(info.annotation) else ()
    bounds = {name: getattr(one, name) for one in info.metadata for name in ("ge", "le") if hasattr(one, name)}
    said = [info.description or ""]
    if choices:
        said.append("One of " + ", ".join(f"`{choice}`" for choice in choices) + ".")
    if "ge" in bounds and "le" in bounds:
        said.append(f"From {bounds['ge']} to {bounds['le']}.")
    return " ".join(said)


if __name__ == "__main__":
    sys.stdout.write(reference())
