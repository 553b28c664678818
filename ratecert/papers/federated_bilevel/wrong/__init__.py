"""Wrong algorithms and wrong statements, on which the claims are tried: ways to get Algorithms 1 and 2, their estimator
or the engines wrong, a few lines each, and every slip of a few kinds in every term of the theorems."""

from ratecert.papers.federated_bilevel.wrong import statement_rows
from ratecert.papers.federated_bilevel.wrong.wrong_devices import WRONG_DEVICES
from ratecert.papers.federated_bilevel.wrong.wrong_hypergradients import WRONG_HYPERGRADIENTS
from ratecert.papers.federated_bilevel.wrong.wrong_momenta import WRONG_MOMENTA
from ratecert.papers.federated_bilevel.wrong.wrong_moves import WRONG_MOVES

MISTAKES = (*WRONG_MOMENTA, *WRONG_HYPERGRADIENTS, *WRONG_MOVES, *WRONG_DEVICES)
STATEMENTS = statement_rows
