"""The classical bound for parallel SGD, with its proof."""
