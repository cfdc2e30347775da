"""Rules over the items of an entity, applied to what a model believes of each of them."""
