"""Settings: environment before file before default; what cannot be right is refused by name, never by value."""

from datetime import timedelta
from pathlib import Path

import pytest

from pabal.base.settings import (
    BadDuration,
    Settings,
    SettingsInvalid,
    parse_duration,
    read_settings,
    reference,
    show_duration,
)

PAGE = Path(__file__).parents[2] / "docs" / "operations" / "settings.md"
EXAMPLE = Path(__file__).parent.parent.parent / ".env.example"


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No setting of the developer's own."""
    for name in Settings.model_fields:
        monkeypatch.delenv(f"PABAL_{name.upper()}", raising=False)
    file = tmp_path / "pabal.toml"
    monkeypatch.setenv("PABAL_CONFIG", str(file))
    return file


def test_what_is_given_beats_the_environment_beats_the_file_beats_the_default(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config.write_text('port = 1\nhost = "0.0.0.0"\nconcurrency = 3\n')
    monkeypatch.setenv("PABAL_PORT", "2")
    monkeypatch.setenv("PABAL_HOST", "::1")

    settings = read_settings(port=4, lang=None)

    assert (settings.port, settings.host, settings.concurrency, settings.pool_size) == (4, "::1", 3, 20)


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PABAL_DATABASE_URL", "")

    assert read_settings().database_url is None


def test_durations_are_written_with_a_unit(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text('keep_jobs = "7d"\n')
    monkeypatch.setenv("PABAL_SHUTDOWN_GRACE", "500ms")

    settings = read_settings()

    assert settings.keep_jobs == timedelta(days=7)
    assert settings.shutdown_grace == timedelta(seconds=0.5)


@pytest.mark.parametrize("text", ["500ms", "20s", "90m", "24h", "35d"])
def test_a_duration_is_shown_as_it_is_read(text: str) -> None:
    assert parse_duration(show_duration(parse_duration(text))) == parse_duration(text)


@pytest.mark.parametrize("text", ["", "5", "s", "5 years", "-1h", "99999999999w"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(BadDuration):
        parse_duration(text)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "70000"),
        ("ROLES", "web,king"),
        ("ROLES", ","),
        ("LOG_LEVEL", "loud"),
        ("KEEP_JOBS", "long"),
        ("KEEP_JOBS", "0s"),
        ("CONCURRENCY", "0"),
    ],
)
def test_a_wrong_value_is_refused_with_the_variables_name(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"PABAL_{name}", value)

    with pytest.raises(SettingsInvalid, match=f"PABAL_{name}"):
        read_settings()


def test_an_unknown_name_in_the_file_is_refused(config: Path) -> None:
    config.write_text("prot = 8420\n")

    with pytest.raises(SettingsInvalid, match="PROT"):
        read_settings()


def test_a_file_that_is_no_toml_is_refused_with_its_name(config: Path) -> None:
    config.write_text("port: 8420\n")

    with pytest.raises(SettingsInvalid, match=r"pabal\.toml"):
        read_settings()


def test_the_password_is_in_no_message_and_in_no_repr() -> None:
    address = "postgresql://me:tiger@host/db"

    assert "tiger" not in repr(read_settings(database_url=address))
    with pytest.raises(SettingsInvalid) as refused:
        read_settings(database_url=[address])
    assert "tiger" not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:ti:ger@host:5432/db?sslmode=require",
        "postgres://host/db",
        "postgresql://me@[::1]:5432,other:5433/db",
        "postgresql://me:secret@/db?host=%2Ftmp%2Frun&port=5432",
    ],
)
def test_addresses_of_every_usual_form_are_taken(address: str) -> None:
    assert read_settings(database_url=address).database_url == address


@pytest.mark.parametrize("address", ["nonsense", "mysql://host/db", "postgresql://host:port/db", "host/db"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(SettingsInvalid, match="PABAL_DATABASE_URL"):
        read_settings(database_url=address)


def test_every_setting_says_what_it_is() -> None:
    assert [name for name, info in Settings.model_fields.items() if not info.description] == []


def test_the_reference_page_is_not_stale() -> None:
    stale = "write it anew: python -m pabal.base.settings > docs/operations/settings.md"

    assert PAGE.read_text(encoding="utf-8") == reference(), stale


def test_the_example_for_containers_says_what_an_empty_list_of_apps_means() -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()

    said = lines[lines.index("PABAL_APPS=") - 1]

    assert f"empty: {Settings.model_fields['apps'].default}" in said
