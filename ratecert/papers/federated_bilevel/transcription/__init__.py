"""The printed lines of the paper written out once more: literal, slow, and sharing nothing with what they check."""
