"""A durable automation server on PostgreSQL."""

__version__ = "0.1.0"
