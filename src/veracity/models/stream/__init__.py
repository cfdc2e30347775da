"""Learning from a stream: new claims change a fitted model without the old ones read again."""
