"""What a rule may let its script reach: an administrator says so, and never more than the server's owner allows."""

from dataclasses import replace
from pathlib import Path

import pytest

from pabal.apps.rules.actions import rules as actions
from pabal.apps.rules.errors import RuleRefused
from pabal.apps.rules.model.rules import RuleForm
from pabal.apps.rules.permissions import ScriptCeiling, allows_of, is_folder
from pabal.apps.rules.scripts import Allows
from pabal.platform.actor import Actor, NotAllowed, Role
from tests.support.rules import RulesWorld

FORM = RuleForm(name="주가", schedule="* * * * *", execution_script_path="check.py")
SCRIPT = {"execution_script_path": "check.py"}


def test_nothing_is_allowed_unless_the_server_allows_it():
    wanted = Allows(network=True, files=("/srv/data",), write=("/srv/out",))

    assert ScriptCeiling().list_refused(wanted) == ["network", "/srv/data", "/srv/out"]
    assert ScriptCeiling(True, ("/srv",), ()).list_refused(wanted) == ["/srv/out"]
    assert ScriptCeiling(True, (), ("/srv",)).list_refused(wanted) == []
    assert ScriptCeiling(True, ("/srv/dat", "/srv/data/deep"), ("/srv/out",)).list_refused(wanted) == ["/srv/data"]


def test_a_link_is_where_it_leads(tmp_path: Path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "link").symlink_to(outside)

    refused = ScriptCeiling(read=(str(inside),)).list_refused(Allows(files=(str(inside / "link"), str(inside))))

    assert refused == [str(inside / "link")]


@pytest.mark.parametrize("path", ["/", "//", "srv", "/srv/../etc", "/srv//data", "", "/a\0b", 7, "/" + "a" * 500])
def test_a_folder_has_its_whole_path_without_detours(path: object):
    assert not is_folder(path)


def test_a_rules_wishes_are_what_its_script_is_started_with():
    form = replace(FORM, allow_network=True, read_folders=["/a"], write_folders=["/b"])

    assert allows_of(form) == Allows(True, ("/a",), ("/b",))


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PABAL_RULES_SCRIPT_NETWORK", "true")
    monkeypatch.setenv("PABAL_RULES_SCRIPT_FOLDERS", "/srv/data")
    monkeypatch.setenv("PABAL_RULES_SCRIPT_WRITE_FOLDERS", "/srv/out")


def _actor(world: RulesWorld, role: Role) -> Actor:
    return Actor("user:9", world.tree.haeundae.id, role)


WISHES = (
    {"allow_network": True},
    {"read_folders": ["/srv/data/prices"]},
    {"write_folders": ["/srv/out"]},
)


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("wish", WISHES)
async def test_only_an_administrator_allows_a_script_more(world: RulesWorld, wish: dict[str, object]):
    unit_id = world.tree.haeundae.id
    plain = await world.rule(**SCRIPT)
    given = {"name": "a", "schedule": "* * * * *", "unit_id": unit_id, **SCRIPT, **wish}

    async with world.db.transaction() as tx:
        with pytest.raises(NotAllowed):
            await actions.create_rule(tx, _actor(world, Role.OPERATOR), **given)
        with pytest.raises(NotAllowed):
            await actions.edit_rule(tx, _actor(world, Role.OPERATOR), plain.id, **wish)
        done = await actions.edit_rule(tx, _actor(world, Role.ADMIN), plain.id, **wish)
        for other in ({"execution_script_path": "other.py"}, {"script_function": "b"}, {"fetch_before_run": True}):
            with pytest.raises(NotAllowed):
                await actions.edit_rule(tx, _actor(world, Role.OPERATOR), plain.id, **other)
        renamed = await actions.edit_rule(tx, _actor(world, Role.OPERATOR), plain.id, name="b")
        none = {name: type(value)() for name, value in wish.items()}
        narrowed = await actions.edit_rule(tx, _actor(world, Role.OPERATOR), plain.id, **none)

    assert done.script_rights == renamed.script_rights == replace(FORM, **wish).script_rights
    assert narrowed.script_rights == FORM.script_rights


@pytest.mark.parametrize("wish", [*WISHES, {"read_folders": ["/srv/out"]}, {"write_folders": ["/srv/data"]}])
async def test_what_the_server_does_not_allow_is_refused_beside_its_field(
    world: RulesWorld, wish: dict[str, object], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PABAL_RULES_SCRIPT_FOLDERS", "/srv/dat")

    with pytest.raises(RuleRefused) as refused:
        await world.rule(**SCRIPT, **wish)

    assert [(one.code, one.field) for one in refused.value.findings] == [("not_allowed", next(iter(wish)))]


async def test_what_belongs_to_a_script_needs_one(world: RulesWorld):
    wishes = {
        "script_function": "a",
        "fetch_before_run": True,
        "allow_network": True,
        "read_folders": ["/a"],
        "write_folders": ["/b"],
        "artifact_days": 3,
    }

    with pytest.raises(RuleRefused) as refused:
        await world.rule(**wishes)

    assert {one.field for one in refused.value.findings if one.code == "no_script"} == set(wishes)
    for wrong in (
        {"artifact_days": 0},
        {"artifact_days": 3651},
        {"read_folders": ["/srv/.."]},
        {"script_function": "a" * 201},
    ):
        with pytest.raises(RuleRefused):
            await world.rule(**SCRIPT, **wrong)
