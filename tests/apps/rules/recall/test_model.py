"""Pairs of syllables, how rare they are, and what two texts share. Pure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.apps.rules.recall.model import list_grams, share_words, split_words, want, weigh


def test_words_in_another_order_have_the_same_pairs():
    assert list_grams("지난주 AI 뉴스 요약") == list_grams("요약, 뉴스! ai 지난주")


def test_a_word_and_its_particle_share_their_pairs():
    assert set(list_grams("보고서")) < set(list_grams("보고서를"))


def test_one_letter_is_a_word_too():
    assert len(list_grams("차")) == 1
    assert list_grams("차") != list_grams("집")


def test_the_same_word_written_in_two_ways_is_one():
    assert split_words("\uff21\uff29 뉴스") == split_words("ai \u1102\u1172\u1109\u1173")


@given(st.text())
def test_every_pair_fits_into_a_column(text: str):
    grams = list_grams(text)

    assert all(-(2**31) <= gram < 2**31 for gram in grams)
    assert grams == sorted(set(grams))


def test_the_rarest_pairs_choose_and_no_more_than_the_cases_they_bear():
    wanted = want([1, 2, 3, 4], {1: 900, 2: 3, 3: 40}, most=100)

    assert wanted.rarest == (2, 3)
    assert wanted.known == (2, 3, 1)
    assert wanted.weights == (weigh(900), weigh(3), weigh(40), 1.0)


def test_a_request_of_common_words_alone_is_looked_for_by_one_of_them():
    assert want([1, 2], {1: 900, 2: 800}, most=100).rarest == (2,)


@pytest.mark.parametrize(("rare", "common"), [(1, 2), (2, 50), (50, 10_000)])
def test_what_is_rarer_weighs_more(rare: int, common: int):
    assert weigh(rare) > weigh(common) > 0


def test_shared_words_are_those_of_the_request():
    assert share_words("지난주 AI 뉴스 번역", "어제 AI 뉴스를 요약해 줘") == ("ai", "뉴스")
