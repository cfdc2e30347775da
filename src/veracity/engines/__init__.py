"""Where it runs: over blocks of items in memory, on disk, or on other machines."""
