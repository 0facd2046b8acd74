"""Survival of rendering: two servers die between a queue, nexrender and a NAS; nexrender's journal is the witness."""
