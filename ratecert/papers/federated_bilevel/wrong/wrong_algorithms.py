"""A page of mistakes: ways to get Algorithms 1 and 2, their estimator or the engines wrong, a few lines each."""

from ratecert.papers.federated_bilevel.wrong.wrong_devices import WRONG_DEVICES
from ratecert.papers.federated_bilevel.wrong.wrong_hypergradients import WRONG_HYPERGRADIENTS
from ratecert.papers.federated_bilevel.wrong.wrong_momenta import WRONG_MOMENTA
from ratecert.papers.federated_bilevel.wrong.wrong_moves import WRONG_MOVES

MISTAKES = (*WRONG_MOMENTA, *WRONG_HYPERGRADIENTS, *WRONG_MOVES, *WRONG_DEVICES)
