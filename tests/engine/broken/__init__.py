"""Statements that look right and are not: each is what a fence of the engine prevents, kept to show that it does."""

from dataclasses import replace
from pathlib import Path

from pabal.base.sql import Statement, Statements

SQL = Statements(Path(__file__).with_name("variants.sql"))


def without_key_share(claim: Statement) -> Statement:
    """Looks at its life, but holds nothing: it may be buried before the claim commits."""
    assert " for key share" in claim.text
    return replace(claim, text=claim.text.replace(" for key share", ""))
