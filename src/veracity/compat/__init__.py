"""The interfaces of other libraries, backed by this one: only the import changes."""
