import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.apps.relay.model.pairing import (
    ALPHABET,
    Command,
    Word,
    has_unused_letters,
    make_code,
    read_code,
    read_command,
)


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("/pair ABCD-2345", Command(Word.PAIR, "ABCD-2345")),
        ("  /PAIR abcd 2345 \n", Command(Word.PAIR, "abcd 2345")),
        ("/pair", Command(Word.PAIR)),
        ("/unpair", Command(Word.UNPAIR)),
        ("/status", Command(Word.STATUS)),
        ("/help", Command(Word.HELP)),
        ("/code", Command(Word.CODE)),
        ("/pairing", None),
        ("/session", None),
        ("please /pair me", None),
        ("", None),
    ],
)
def test_only_the_relays_own_words_are_commands(said: str, command: Command | None):
    assert read_command(said) == command


def test_codes_have_no_letters_that_look_alike():
    drawn = {make_code() for _ in range(500)}

    assert len(drawn) == 500
    assert all(len(code) == 9 and code[4] == "-" for code in drawn)
    assert set("".join(drawn)) - {"-"} <= set(ALPHABET)
    assert not set("01OI") & set(ALPHABET)


@given(st.text(ALPHABET, min_size=8, max_size=8), st.sampled_from(["-", "", " ", "–", "_", " - "]))
def test_a_code_is_read_however_it_was_typed(letters: str, between: str):
    kept = f"{letters[:4]}-{letters[4:]}"

    assert read_code(f" {letters[:4].lower()}{between}{letters[4:].lower()} ") == kept


def test_letters_that_no_code_has_are_noticed():
    assert has_unused_letters(read_code("ABCO-2345"))
    assert not has_unused_letters(read_code("ABCD-2345"))
