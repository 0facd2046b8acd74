"""Recall: requests with answers that were good, and which are nearest to a new one. No extension of PostgreSQL."""
