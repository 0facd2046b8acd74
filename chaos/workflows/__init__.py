"""Survival of workflows: random ones, with every kind of wait; servers and the database die, and the clock is moved."""
