"""Survival of workflows: random ones, with every kind of wait, while servers and database die and time is moved."""
