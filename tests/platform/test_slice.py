"""A slice is found by module or file; what is wrong with it is said by name."""

from pathlib import Path

import pytest

from pabal.demo.kettle import KETTLE
from pabal.engine.facts import Subscriber
from pabal.platform.controls import ByHand, ControlsIncomplete, KindControls, MachineControls, NotByHand
from pabal.platform.loading import AppBroken, AppNotFound
from pabal.platform.slice import Slice, SlicesClash, check_names, check_slices, load_slice, load_slices


def write(folder: Path, text: str) -> str:
    file = folder / "hello.py"
    file.write_text(f"from pabal.platform.slice import Slice\n{text}\n")
    return str(file)


def test_a_module_is_loaded_by_its_name() -> None:
    assert load_slice("pabal.demo").name == "demo"
    assert load_slice("pabal.demo:SLICE") is load_slice("pabal.demo")


def test_a_file_is_loaded_by_its_path_and_may_name_its_slice(tmp_path: Path) -> None:
    file = write(tmp_path, "SLICE = Slice('one')\nOTHER = Slice('two')")

    assert (load_slice(file).name, load_slice(f"{file}:OTHER").name) == ("one", "two")


def test_a_file_may_have_dataclasses(tmp_path: Path) -> None:
    text = "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: 'int'\nSLICE = Slice('one')"

    assert load_slice(write(tmp_path, text)).name == "one"


@pytest.mark.parametrize("name", ["pabal.nowhere", "pabal.demo:NOTHING", "nowhere.py", "nowhere"])
def test_what_is_not_there_is_not_found(name: str) -> None:
    with pytest.raises(AppNotFound):
        load_slice(name)


@pytest.mark.parametrize("text", ["import nowhere_at_all", "1 / 0", "def ("])
def test_a_file_that_cannot_be_imported_is_broken_not_missing(tmp_path: Path, text: str) -> None:
    with pytest.raises(AppBroken, match=r"hello\.py"):
        load_slice(write(tmp_path, text))


def test_the_same_app_named_twice_is_loaded_once() -> None:
    assert len(load_slices(["pabal.demo", "pabal.demo"])) == 1


async def handle(_tx: object, _facts: object) -> None:
    return None


def test_two_slices_may_not_share_a_name() -> None:
    twice = Subscriber("mirror", ("a.*",), handle)

    with pytest.raises(SlicesClash, match="slice one"):
        check_names([Slice("one"), Slice("one")])
    with pytest.raises(SlicesClash, match="subscriber mirror"):
        check_names([Slice("one", subscribers=(twice,)), Slice("two", subscribers=(twice,))])


def test_a_slice_without_migrations_has_none_and_one_with_them_owns_them() -> None:
    assert Slice("one").read_migrations() == []
    assert {one.owner for one in load_slice("pabal.demo").read_migrations()} == {"demo"}


def test_a_machine_without_its_table_of_controls_is_refused() -> None:
    whole = MachineControls(KETTLE, "machines", {event: NotByHand() for event in KETTLE.events})

    check_slices([Slice("one", machines=(KETTLE,), controls=(whole,))])
    with pytest.raises(ControlsIncomplete):
        check_slices([Slice("one", machines=(KETTLE,))])
    with pytest.raises(ControlsIncomplete):
        check_slices([Slice("one", machines=(KETTLE,), controls=(whole, whole))])
    with pytest.raises(ControlsIncomplete):
        check_slices([Slice("one", controls=(whole,))])


@pytest.mark.parametrize("events", [{"switch_on": ByHand()}, {"switch_on": ByHand(), "whistle": ByHand()}])
def test_every_event_of_a_machine_and_no_other_has_its_control(events: dict[str, ByHand]) -> None:
    with pytest.raises(ControlsIncomplete):
        MachineControls(KETTLE, "machines", events)


def test_a_kind_of_work_has_one_owner() -> None:
    owner = KindControls("soup.cook", "soup")

    with pytest.raises(SlicesClash):
        check_slices([Slice("one", kind_controls=(owner,)), Slice("two", kind_controls=(owner,))])
