"""Corollaries with constant steps on an ordinary world, for comparison with other papers."""

from ratecert.papers.federated_bilevel.evidence.speedup.settings import experiment

COROLLARIES = ("corollary-1", "corollary-3")  # decaying steps take a hundred times as long


def measure(corollary: str, K: int, T: int) -> float:
    """What the corollary bounds, in a run along its scalings on the scalar world."""
    own = experiment(corollary)
    return float(own.row(own.run(K=K, T=T), certified=False)["measure"])
