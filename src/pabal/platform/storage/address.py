"""Where files are kept, by address: a folder, or a bucket of anything that speaks S3. Pure.

/srv/pabal/files                                                       a folder
s3://KEY:SECRET@host:9000/bucket/prefix?region=us-east-1               MinIO, AWS and others, by https
s3://KEY:SECRET@PROJECT.storage.supabase.co/bucket?region=…            Supabase: its path is known
…?tls=none                                                             without TLS, for a server next door
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from pabal.base.errors import Invalid

REGION = "us-east-1"
BUCKET = "pabal"
_SUPABASE = ".storage.supabase.co"
_SUPABASE_PATH = "/storage/v1/s3"
_ASKED = {"region", "tls", "path", "token"}


class BadStorageAddress(Invalid, code="bad_storage_address"):
    """A file store is a folder, or s3://KEY:SECRET@host/bucket?region=REGION. Of Supabase, give SUPABASE_URL and the
    S3 access keys of the project's storage settings: SUPABASE_KEY by itself opens no bucket over S3."""


@dataclass(frozen=True, slots=True)
class Folder:
    """`name` says which store it is, in rows and for people. The one in the data folder may move with that."""

    root: Path
    name: str = "folder"


@dataclass(frozen=True, slots=True)
class Bucket:
    endpoint: str
    bucket: str
    prefix: str = ""
    region: str = REGION
    key: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    token: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        """Without a secret."""
        return f"s3://{self.endpoint.partition('://')[2].partition('/')[0]}/{self.bucket}/{self.prefix}".rstrip("/")


Address = Folder | Bucket


def read_address(text: str) -> Address:
    if "://" not in text:
        return _name_folder(Path(text))
    parts = urlsplit(text)
    if parts.scheme == "file" and parts.path and not parts.netloc:
        return _name_folder(Path(unquote(parts.path)))
    try:
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadStorageAddress from None
    bucket, _, prefix = parts.path.strip("/").partition("/")
    asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    if parts.scheme != "s3" or not host or not bucket or not asked.keys() <= _ASKED or not parts.username:
        raise BadStorageAddress
    scheme = "http" if asked.get("tls") == "none" else "https"
    inner = asked.get("path", _SUPABASE_PATH if host.endswith(_SUPABASE) else "").strip("/")
    endpoint = f"{scheme}://{host}{'' if port is None else f':{port}'}{f'/{inner}' if inner else ''}"
    return Bucket(
        endpoint,
        bucket,
        prefix,
        asked.get("region", REGION),
        unquote(parts.username),
        unquote(parts.password or ""),
        asked.get("token", ""),
    )


def find_address(url: str, data_dir: Path, environment: Mapping[str, str]) -> Address:
    """What PABAL_STORAGE_URL says, or Supabase's own variables, or a folder beside the rest of the data."""
    if url:
        return read_address(url)
    supabase = _read_supabase(environment)
    return Folder(data_dir / "files") if supabase is None else supabase


def _name_folder(root: Path) -> Folder:
    return Folder(root, f"file://{root.absolute()}")


def _read_supabase(environment: Mapping[str, str]) -> Bucket | None:
    """Only with S3 access keys, which open all buckets of the project: who may see what, our own rows decide.

    SUPABASE_KEY is a key of its REST edge. With SUPABASE_TOKEN, a person's or program's JWT, it is the secret of a
    session that Supabase's own row-level policies bind.
    """
    said = {name: environment.get(f"SUPABASE_{name}", "") for name in ("URL", "KEY", "TOKEN", "S3_KEY", "S3_SECRET")}
    if not said["URL"] or not ((said["S3_KEY"] and said["S3_SECRET"]) or (said["KEY"] and said["TOKEN"])):
        return None
    project = (urlsplit(said["URL"]).hostname or "").partition(".")[0]
    if not project:
        raise BadStorageAddress
    endpoint = f"https://{project}{_SUPABASE}{_SUPABASE_PATH}"
    bucket, region = environment.get("SUPABASE_BUCKET", BUCKET), environment.get("SUPABASE_REGION", REGION)
    if said["S3_KEY"]:
        return Bucket(endpoint, bucket, "", region, said["S3_KEY"], said["S3_SECRET"])
    return Bucket(endpoint, bucket, "", region, project, said["KEY"], said["TOKEN"])
