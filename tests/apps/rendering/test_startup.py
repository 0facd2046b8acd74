import pytest

from pabal.apps.rendering.farm import make_farm
from pabal.apps.rendering.startup import RenderingStartup, RenderingVariables, slot_uuid
from pabal.base.settings import SettingsInvalid, read_app_settings, read_settings


@pytest.mark.req("B-110", "B-113", "B-114")
def test_the_variables_of_the_requirements_are_read(monkeypatch: pytest.MonkeyPatch):
    given = {
        "NEXRENDER_API_URL": "http://10.0.0.5:3000/",
        "NAS_MOUNT_PATH": "/mnt/nas",
        "WORKER_ID": "render-pc-1",
        "NAS_OUTPUT_DIR": "broadcast/output",
        "AEP_TEMPLATE_DIR": "D:/templates",
        "PABAL_RENDERING_OUTPUT_DIR": "D:/output",
        "PABAL_RENDERING_SLOTS": "2",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)

    farm = make_farm(read_app_settings(RenderingStartup))

    assert farm.startup.nexrender_url == "http://10.0.0.5:3000"
    assert str(farm.nas) == "/mnt/nas/broadcast/output"
    assert farm.startup.aep_template_dir == "D:/templates"
    assert farm.slots == {slot_uuid("render-pc-1", 1): 1, slot_uuid("render-pc-1", 2): 2}
    assert farm.rendered_name(42, 1, "mp4") == "D:/output/job_42_a1.mp4"


@pytest.mark.req("B-110")
def test_no_path_is_made_up_where_no_variable_names_one(monkeypatch: pytest.MonkeyPatch):
    for name in ("NAS_MOUNT_PATH", "AEP_TEMPLATE_DIR", "NEXRENDER_API_URL"):
        monkeypatch.delenv(name, raising=False)

    startup = read_app_settings(RenderingStartup)

    assert (startup.nas_mount_path, startup.aep_template_dir, startup.output_dir, startup.paths) == ("", "", "", "")
    monkeypatch.setenv("NEXRENDER_API_URL", "http://10.0.0.5:3000")
    with pytest.raises(SettingsInvalid, match="NAS_MOUNT_PATH"):
        read_app_settings(RenderingStartup)


@pytest.mark.req("B-113")
def test_the_database_of_a_supabase_project_is_named_by_its_variables(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("PABAL_DATABASE_URL", raising=False)
    monkeypatch.setenv("SUPABASE_URL", "postgresql://postgres@db.abc.supabase.co:5432/postgres")
    assert read_settings().database_url == "postgresql://postgres@db.abc.supabase.co:5432/postgres"

    monkeypatch.setenv("SUPABASE_KEY", "p@ss/word")
    assert read_settings().database_url == "postgresql://postgres:p%40ss%2Fword@db.abc.supabase.co:5432/postgres"

    monkeypatch.setenv("SUPABASE_URL", "https://abc.supabase.co")
    monkeypatch.setenv("SUPABASE_DB_URL", "postgresql://postgres:own@db.abc.supabase.co/postgres")
    assert read_settings().database_url == "postgresql://postgres:own@db.abc.supabase.co/postgres"

    monkeypatch.setenv("PABAL_DATABASE_URL", "postgresql://pabal@127.0.0.1/pabal")
    assert read_settings().database_url == "postgresql://pabal@127.0.0.1/pabal"
    assert read_settings(database_url="postgresql://given/pabal").database_url == "postgresql://given/pabal"


@pytest.mark.req("B-113")
def test_the_web_address_of_a_supabase_project_is_refused_with_what_to_set_instead(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("PABAL_DATABASE_URL", raising=False)
    monkeypatch.setenv("SUPABASE_URL", "https://abc.supabase.co")

    with pytest.raises(SettingsInvalid) as refused:
        read_settings()

    assert "SUPABASE_DB_URL" in str(refused.value)
    assert "abc.supabase.co" not in str(refused.value)


@pytest.mark.req("B-114")
def test_the_stated_numbers_are_defaults_and_variables_change_them(monkeypatch: pytest.MonkeyPatch):
    plain = read_app_settings(RenderingVariables)
    assert (plain.max_retries, plain.base_retry_delay) == (3, 60)
    assert (plain.poll_interval_default, plain.poll_interval_idle) == (10, 30)

    monkeypatch.setenv("MAX_RETRIES", "5")
    monkeypatch.setenv("POLL_INTERVAL_IDLE", "60")

    changed = read_app_settings(RenderingVariables)
    assert (changed.max_retries, changed.poll_interval_idle) == (5, 60)


def test_without_a_nexrender_there_are_no_slots():
    assert make_farm(RenderingStartup()).slots == {}


def test_a_film_must_go_somewhere(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NEXRENDER_API_URL", "http://127.0.0.1:3000")

    with pytest.raises(SettingsInvalid):
        read_app_settings(RenderingStartup)
