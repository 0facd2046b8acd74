from pathlib import Path

import pytest

from pabal.platform.storage import BadStorageAddress, find_address, read_address
from pabal.platform.storage.address import Bucket, Folder

DATA = Path("/data")
SUPABASE = {"SUPABASE_URL": "https://abcd.supabase.co", "SUPABASE_S3_KEY": "k", "SUPABASE_S3_SECRET": "s"}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("/srv/files", Folder(Path("/srv/files"), "file:///srv/files")),
        ("file:///srv/my%20files", Folder(Path("/srv/my files"), "file:///srv/my files")),
        ("s3://k:s@minio:9000/b?tls=none", Bucket("http://minio:9000", "b", "", "us-east-1", "k", "s")),
        ("s3://k:a%2Fb%2B@h/b/x/y?region=r", Bucket("https://h", "b", "x/y", "r", "k", "a/b+")),
        (
            "s3://k:s@abcd.storage.supabase.co/b?region=r",
            Bucket("https://abcd.storage.supabase.co/storage/v1/s3", "b", "", "r", "k", "s"),
        ),
    ],
)
def test_an_address_is_a_folder_or_a_bucket(text: str, read: object):
    assert read_address(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "s3://host/bucket",
        "s3://k:hunter2@host",
        "s3://k:hunter2@/b",
        "s3://k:hunter2@h/b?odd=1",
        "gs://k:hunter2@h/b",
        "s3://k:hunter2@h:x/b",
    ],
)
def test_what_is_no_address_is_refused_without_being_repeated(text: str):
    with pytest.raises(BadStorageAddress) as refused:
        read_address(text)
    assert "hunter2" not in str(refused.value)


def test_a_store_is_named_without_its_secrets():
    bucket = read_address("s3://AKID:hunter2@h:9000/b/x?region=r&token=jwt")

    assert bucket.name == "s3://h:9000/b/x"
    assert all(secret not in repr(bucket) for secret in ("AKID", "hunter2", "jwt"))


@pytest.mark.req("D-84")
def test_supabase_is_found_by_its_own_variables_once_they_open_a_bucket():
    door = "https://abcd.storage.supabase.co/storage/v1/s3"
    session = {"SUPABASE_URL": SUPABASE["SUPABASE_URL"], "SUPABASE_KEY": "anon", "SUPABASE_TOKEN": "jwt"}

    assert find_address("", DATA, SUPABASE) == Bucket(door, "pabal", "", "us-east-1", "k", "s")
    placed = {**SUPABASE, "SUPABASE_BUCKET": "b", "SUPABASE_REGION": "ap-northeast-2"}
    assert find_address("", DATA, placed) == Bucket(door, "b", "", "ap-northeast-2", "k", "s")
    assert find_address("", DATA, session) == Bucket(door, "pabal", "", "us-east-1", "abcd", "anon", "jwt")
    assert find_address("/srv/files", DATA, SUPABASE) == read_address("/srv/files")


@pytest.mark.parametrize("left_out", ["SUPABASE_S3_KEY", "SUPABASE_S3_SECRET", "SUPABASE_URL"])
def test_variables_that_open_no_bucket_change_nothing(left_out: str):
    """A server that talks to Supabase's database alone keeps its files where they were."""
    said = {name: value for name, value in SUPABASE.items() if name != left_out}

    assert find_address("", DATA, {**said, "SUPABASE_KEY": "service"}) == Folder(DATA / "files")
