"""The pure part of rendering: values and rules, without a database, a network or a disk."""
