import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.base.errors import PabalError
from pabal.engine.recurrence import UnknownZone
from pabal.platform.actor import Actor, Right, Role
from pabal.platform.auth import Caller, Preferences, may_give, model
from pabal.platform.auth.model import (
    BadDisplayName,
    BadLogin,
    BadPreference,
    BadScope,
    check_display_name,
    check_login,
    check_preferences,
    check_scopes,
    own_id,
)
from pabal.platform.language.errors import KO

AREAS = ("jobs", "people", "settings")
roles = st.sampled_from(list(Role))
scopes = st.lists(
    st.builds("{}:{}".format, st.sampled_from(("*", *AREAS)), st.sampled_from(("read", "write", "manage"))),
    min_size=1,
    max_size=4,
    unique=True,
).map(tuple)


@given(roles, scopes, roles, scopes)
def test_what_somebody_gives_never_goes_beyond_what_they_have(
    role: Role, own: tuple[str, ...], given_role: Role, given_scopes: tuple[str, ...]
):
    giver = Actor("token:1", 1, role, scopes=own)
    made = Actor("token:2", 1, given_role, scopes=given_scopes)

    if may_give(giver, given_role, given_scopes):
        assert list(Role).index(given_role) <= list(Role).index(role)
        # An area named nowhere stands for those of apps to come.
        for area in (*AREAS, "named nowhere"):
            assert all(giver.may(right, area) for right in Right if made.may(right, area))


@given(roles, roles)
def test_a_person_may_give_every_role_up_to_their_own(own: Role, wanted: Role):
    may = may_give(Actor("user:1", 1, own), wanted)

    assert may == (list(Role).index(wanted) <= list(Role).index(own))


@pytest.mark.parametrize(
    ("typed", "login"), [("Kim", "kim"), (" kim.minsoo@x.example ", "kim.minsoo@x.example"), ("k1", "k1")]
)
def test_a_login_is_plain_and_has_no_case(typed: str, login: str):
    assert check_login(typed) == login


@pytest.mark.parametrize("typed", ["", "k", "k" * 61, "김민수", "kim minsoo", ".kim", "kim\x00", "kim/", "ﬁx"])
def test_a_login_of_other_characters_or_another_length_is_refused(typed: str):
    with pytest.raises(BadLogin):
        check_login(typed)


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "nul\x00", "\u202ebackwards"])
def test_a_name_that_cannot_be_shown_is_refused(name: str):
    with pytest.raises(BadDisplayName):
        check_display_name(name)


def test_spaces_around_and_within_a_name_are_made_plain():
    assert check_display_name("  김   민수\n") == "김 민수"


def test_a_language_theme_or_zone_we_do_not_know_is_refused():
    check_preferences(Preferences("en", "Europe/Berlin", "dark"))

    with pytest.raises(BadPreference):
        check_preferences(Preferences(language="fr"))
    with pytest.raises(BadPreference):
        check_preferences(Preferences(theme="pink"))
    for zone in ("Seoul", "../etc/passwd", "", "localtime"):
        with pytest.raises(UnknownZone):
            check_preferences(Preferences(zone=zone))


@pytest.mark.parametrize(
    "given", [(), ("jobs",), ("jobs:fly",), ("Jobs:read",), ("jobs:read ",), (":read",), ("jobs:read", "")]
)
def test_a_scope_is_an_area_and_a_right(given: tuple[str, ...]):
    with pytest.raises(BadScope):
        check_scopes(given)


def test_scopes_are_kept_once_each_and_at_most_fifty():
    assert check_scopes(["jobs:read", "*:write", "jobs:read"]) == ("jobs:read", "*:write")
    with pytest.raises(BadScope):
        check_scopes([f"area{n}:read" for n in range(51)])


@pytest.mark.parametrize(("name", "number"), [("user:12", 12), ("token:12", None), ("engine", None), ("user:x", None)])
def test_only_a_person_has_an_account(name: str, number: int | None):
    assert own_id(Actor(name, 1, Role.ADMIN)) == number


def test_what_a_browser_says_of_itself_is_shortened_and_made_harmless():
    caller = Caller("1" * 99, "Fire\x00fox\n" + "x" * 999)

    assert caller.short_agent == "Firefox" + "x" * 193
    assert len(caller.short_address) == 60


def test_every_error_here_has_a_korean_sentence():
    made = [thing for thing in vars(model).values() if isinstance(thing, type) and issubclass(thing, PabalError)]
    own = {kind.__new__(kind).code for kind in made if kind.__module__ == model.__name__}

    assert own - set(KO) == set()
