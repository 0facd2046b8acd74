import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.platform.actor import ENGINE, EVERYTHING, Actor, NotAllowed, Right, Role, right_of

AREAS = ("jobs", "people", "messaging")
areas = st.sampled_from(AREAS)
rights = st.sampled_from(list(Right))
roles = st.sampled_from(list(Role))
scope = st.builds("{}:{}".format, st.sampled_from(("*", *AREAS)), st.sampled_from(("read", "write", "manage")))


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (Role.VIEWER, {Right.READ}),
        (Role.OPERATOR, {Right.READ, Right.WRITE}),
        (Role.ADMIN, {Right.READ, Right.WRITE, Right.MANAGE}),
    ],
)
def test_a_person_may_what_their_role_gives_in_every_area(role: Role, may: set[Right]):
    actor = Actor("user:1", 1, role)

    assert {right for right in Right if actor.may(right, "jobs")} == may
    assert right_of(role) == max(may)


def test_what_one_may_not_is_named_in_the_error():
    viewer = Actor("user:1", 1, Role.VIEWER)

    viewer.require(Right.READ, "jobs")
    with pytest.raises(NotAllowed) as caught:
        viewer.require(Right.MANAGE, "people")

    assert caught.value.detail == "people:manage"
    assert caught.value.code == "not_allowed"


def test_a_scope_opens_its_own_area_only():
    program = Actor("token:1", 1, Role.ADMIN, scopes=("jobs:write", "people:read"))

    assert program.may(Right.WRITE, "jobs")
    assert not program.may(Right.MANAGE, "jobs")
    assert not program.may(Right.WRITE, "people")
    assert not program.may(Right.READ, "messaging")


def test_no_scope_opens_nothing():
    assert not Actor("token:1", 1, Role.ADMIN, scopes=()).may(Right.READ, "jobs")


@given(roles, st.lists(scope, max_size=4), rights, areas)
def test_neither_scopes_nor_a_role_alone_give_more_than_the_other(
    role: Role, scopes: list[str], right: Right, area: str
):
    may = Actor("token:1", 1, role, scopes=tuple(scopes)).may(right, area)

    by_role = Actor("user:1", 1, role).may(right, area)
    by_scopes = Actor("token:1", 1, Role.ADMIN, scopes=tuple(scopes)).may(right, area)
    assert may == (by_role and by_scopes)


@given(roles, st.lists(scope, max_size=4), rights, areas)
def test_a_right_includes_the_ones_before_it(role: Role, scopes: list[str], right: Right, area: str):
    actor = Actor("token:1", 1, role, scopes=tuple(scopes))

    if actor.may(right, area):
        assert all(actor.may(lesser, area) for lesser in Right if lesser <= right)


def test_the_engine_may_everything_everywhere():
    assert ENGINE.unit_id is None
    assert ENGINE.scopes == (EVERYTHING,)
    assert ENGINE.may(Right.MANAGE, "any app")
