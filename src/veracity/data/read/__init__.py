"""Read any table a user has: files, databases, frames; find its columns, check and code it."""
