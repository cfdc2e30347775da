"""Rules over attributes: which statements about an entity imply or exclude one another."""
