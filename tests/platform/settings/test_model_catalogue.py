from dataclasses import replace

import pytest

from pabal.platform.settings import BadSetting, Catalogue, Setting, SettingNotFound, name_group


def flag(key: str, group: str = "Test") -> Setting[bool]:
    return Setting(key=key, default=False, label=(key, key), help=("", ""), group=(group, group))


def test_a_key_is_declared_once() -> None:
    with pytest.raises(BadSetting, match=r"a\.b"):
        Catalogue([flag("a.b"), flag("a.b")])


def test_an_unknown_key_is_not_found() -> None:
    with pytest.raises(SettingNotFound):
        Catalogue([flag("a.b")])["a.c"]


def test_groups_keep_the_order_of_declaration() -> None:
    catalogue = Catalogue([flag("b.one", "B"), flag("a.one", "A"), flag("b.two", "B")])

    found = {group[0]: [one.key for one in members] for group, members in catalogue.groups().items()}

    assert list(found.items()) == [("B", ["b.one", "b.two"]), ("A", ["a.one"])]


@pytest.mark.parametrize(
    ("label", "name"),
    [("Backup", "backup"), ("Messages: what may be written", "messages-what-may-be-written"), ("알림!", "알림")],
)
def test_a_group_has_a_name_for_addresses(label: str, name: str) -> None:
    assert name_group((label, "묶음")) == name


@pytest.mark.parametrize("second", [("Limits", "한도"), ("limits:", "제한"), ("…", "…")])
def test_no_two_groups_have_one_address_and_none_has_no_address(second: tuple[str, str]) -> None:
    one, other = flag("a.one"), flag("b.one")

    with pytest.raises(BadSetting, match=r"b\.one"):
        Catalogue([replace(one, group=("Limits", "제한")), replace(other, group=second)])
