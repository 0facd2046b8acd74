"""Recall: requests that went well before, and which of them are nearest to a new one. No extension of PostgreSQL."""
