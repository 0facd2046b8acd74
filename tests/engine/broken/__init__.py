"""Statements that look right and are not: each is what a fence of the engine prevents, kept to show that it does."""

from pathlib import Path

from pabal.base.sql import Statements

SQL = Statements(Path(__file__).with_name("variants.sql"))
