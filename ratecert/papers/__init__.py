"""The papers of this package, the first one first: an id without a paper means a statement of that one."""

PAPERS = (
    "federated_bilevel",
    "parallel_sgd",
)
