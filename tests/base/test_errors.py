import pytest

from pabal.base import errors
from pabal.base.errors import Conflict, Invalid, NotFound, PabalError, Unavailable


class LeaseGone(Conflict, code="lease_gone"):
    """Somebody else has it now."""


def test_an_error_explains_itself_with_its_docstring_and_the_facts_of_the_case():
    assert str(LeaseGone("job 7")) == "Somebody else has it now. (job 7)"
    assert str(LeaseGone()) == "Somebody else has it now."


def test_an_error_has_a_stable_code():
    assert LeaseGone("job 7").code == "lease_gone"


def test_an_error_without_a_code_of_its_own_is_refused():
    with pytest.raises(TypeError, match="code"):
        type("Nameless", (Conflict,), {})


@pytest.mark.parametrize("family", [NotFound, Conflict, Invalid, errors.Forbidden, Unavailable])
def test_every_family_is_caught_as_a_pabal_error(family: type[PabalError]):
    with pytest.raises(PabalError):
        raise family("x")
