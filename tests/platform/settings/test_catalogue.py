import pytest

from pabal.platform.settings import BadSetting, Catalogue, Setting, SettingNotFound


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
