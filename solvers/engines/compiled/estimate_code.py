"""Instructions for one estimate: the estimator's body on the panels of its point.

A sum is added up term by term, each as soon as it is there: the terms of a Neumann sum need not all be kept.
"""

from collections.abc import Sequence

import numpy as np

from ratecert.base.errors import NotTracedError
from ratecert.solvers.engines.compiled.expression import (
    Coefficient,
    ConstantVector,
    EntryByEntry,
    Expression,
    Leaf,
    Product,
    SignVector,
    Sum,
    uses_of,
    written_out,
)
from ratecert.solvers.engines.compiled.instructions import COS, SIN, TIMES, Code, Panel
from ratecert.solvers.engines.compiled.sum_code import SumRecorder

FUNCTIONS = {"sin": SIN, "cos": COS, "times": TIMES}


def record_estimate(
    code: Code, body: Expression, point: Sequence[Panel], *, first_slot: int = 0, weight: Coefficient = 1.0
) -> Panel:
    """Where the value will be. Signs are the slots from `first_slot` on; constants and signs have the weight."""
    dst = Panel(body.d)
    _EstimateRecorder(code, uses_of([body]), point, first_slot, weight).into(dst, body)
    return dst


class _EstimateRecorder:
    def __init__(
        self,
        code: Code,
        uses: dict[Expression, int],
        point: Sequence[Panel],
        first_slot: int,
        weight: Coefficient,
    ) -> None:
        self.code, self.uses, self.point = code, uses, point
        self.first_slot, self.weight = first_slot, weight
        self.panels: dict[Expression, Panel] = {}

    def panel(self, value: Expression) -> Panel:
        if isinstance(value, Leaf):
            return self.point[int(value.name)]
        if value not in self.panels:
            self.panels[value] = dst = Panel(value.d)
            self.into(dst, value)
        return self.panels[value]

    def into(self, dst: Panel, value: Expression) -> None:
        if isinstance(value, EntryByEntry):
            src, *others = (self.panel(operand) for operand in value.operands)
            self.code.emit(FUNCTIONS[value.function], dst, src, src_2=others[0] if others else None)
            return
        terms = list(written_out(value, self.uses)) if isinstance(value, Sum) else [(1.0, value)]
        products = [(c, term) for c, term in terms if isinstance(term, Product)]
        addition, seen = SumRecorder(self.code, dst), set()
        for c, term in terms:
            if isinstance(term, ConstantVector):
                addition.constant(c * self.weight, term.values)
            elif isinstance(term, SignVector):
                addition.signs(c * self.weight, self.first_slot + term.first)
            elif not isinstance(term, Product):
                addition.panel(c, self.panel(term))
            elif term.operand not in seen:
                seen.add(term.operand)
                alike = [(_number(k), p) for k, p in products if p.operand is term.operand]
                addition.products(self.panel(term.operand), tuple((self._slot(p), k * p.M) for k, p in alike))
        addition.finish()

    def _slot(self, product: Product) -> int | None:
        return None if product.sign is None else self.first_slot + product.sign


def _number(c: Coefficient) -> float:
    if isinstance(c, np.ndarray):
        raise NotTracedError("a matrix is multiplied by something that changes with time")
    return c
