"""Recall: requests with answers that were good, and which are nearest to a new one: by words in any PostgreSQL, by what
they mean where it has pgvector and a model is set."""
