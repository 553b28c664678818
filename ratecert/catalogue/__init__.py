"""Which papers there are, found by name: nothing imports them."""
