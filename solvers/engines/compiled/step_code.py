"""Instructions for one step: sums of fields and of estimates.

Estimates come first, which read the old fields; then the new fields, written over the old ones where nothing needs
those any more.
"""

from collections.abc import Mapping

from ratecert.base.errors import NotTracedError
from ratecert.solvers.engines.compiled.estimate_code import record_estimate
from ratecert.solvers.engines.compiled.expression import (
    Coefficient,
    Expression,
    Leaf,
    Sum,
    uses_of,
    written_out,
)
from ratecert.solvers.engines.compiled.instructions import ADD, SET, Code, Panel, Slot
from ratecert.solvers.engines.compiled.sum_code import SumRecorder
from ratecert.solvers.engines.compiled.trace import (
    Combinations,
    TracedDraw,
    TracedEstimate,
    TracedEstimators,
    one_estimate,
)

Terms = list[tuple[Coefficient, Expression]]


def record_step(
    code: Code,
    bodies: TracedEstimators,
    fields: Mapping[str, Panel],
    new: Mapping[str, Expression],
    *,
    merge: bool,
) -> None:
    """With `merge`, affine estimates of one draw are one estimate."""
    recorder = _StepRecorder(code, bodies, fields, uses_of(new.values()), merge)
    for value in new.values():
        recorder.estimates(value)
    moved = {name: recorder.copy(v) for name, v in new.items() if isinstance(v, Leaf) and v.name != name}
    moved |= {name: recorder.panel(v) for name, v in new.items() if not isinstance(v, Leaf)}
    for name, panel in moved.items():
        if sum(p is panel for p in moved.values()) == 1:
            code.write_over(fields[name], panel)
        else:
            code.emit(SET, fields[name], panel)


class _StepRecorder:
    def __init__(
        self,
        code: Code,
        bodies: TracedEstimators,
        fields: Mapping[str, Panel],
        uses: dict[Expression, int],
        merge: bool,
    ) -> None:
        self.code, self.bodies, self.fields, self.uses, self.merge = code, bodies, fields, uses, merge
        self._first_slots: dict[tuple[str, int, int], int] = {}
        self._panels: dict[Expression, Panel] = {}
        self._terms: dict[Sum, Terms] = {}
        self._combinations: Combinations = {}

    def estimates(self, value: Expression) -> None:
        """All estimates that the value needs."""
        if isinstance(value, TracedEstimate):
            self.panel(value)
        elif isinstance(value, Sum):
            for _, term in self.terms(value):
                self.estimates(term)

    def terms(self, value: Sum) -> Terms:
        if value not in self._terms:
            terms = list(written_out(value, self.uses))
            self._terms[value] = self._merged(terms) if self.merge else terms
        return self._terms[value]

    def _merged(self, terms: Terms) -> Terms:
        groups: dict[TracedDraw, list[tuple[Coefficient, TracedEstimate]]] = {}
        others: Terms = []
        for c, term in terms:
            if isinstance(term, TracedEstimate) and term.affine_in_point and self.uses.get(term, 1) == 1:
                groups.setdefault(term.draw, []).append((c, term))
            else:
                others.append((c, term))
        for group in groups.values():
            others += group if len(group) == 1 else [(1.0, one_estimate(group, self._combinations))]
        return others

    def copy(self, value: Leaf) -> Panel:
        dst = Panel(value.d)
        self.code.emit(SET, dst, self.fields[value.name])
        return dst

    def panel(self, value: Expression) -> Panel:
        """Where the value is, or will be after the instructions so far."""
        if isinstance(value, Leaf):
            return self.fields[value.name]
        if value not in self._panels:
            if isinstance(value, TracedEstimate):
                self._panels[value] = self._estimate(value)
            elif isinstance(value, Sum):
                self._panels[value] = self._sum(value)
            else:
                raise NotTracedError(f"its step uses {type(value).__name__} outside of estimates")
        return self._panels[value]

    def _sum(self, value: Sum) -> Panel:
        terms = [(c, self.panel(term)) for c, term in self.terms(value)]
        terms.sort(key=lambda term: term[1].field is None)  # an old field first: it may be changed in place
        addition = SumRecorder(self.code, Panel(value.d))
        for c, source in terms:
            addition.panel(c, source)
        addition.finish()
        return addition.dst

    def _estimate(self, value: TracedEstimate) -> Panel:
        """With a batch, the mean over its members."""
        point = [self.panel(z) for z in value.point]
        body = self.bodies.of(value.draw.estimator, tuple(z.d for z in point))
        total = None
        for member in range(value.draw.batch):
            first = self._first_slot(value.draw, member, body.signs)
            found = record_estimate(self.code, body.value, point, first_slot=first, weight=value.weight)
            if total is None:
                total = found
            else:
                self.code.emit(ADD, total, found)
        assert total is not None
        if value.draw.batch > 1:
            self.code.emit(SET, total, total, c=1 / value.draw.batch)
        return total

    def _first_slot(self, draw: TracedDraw, member: int, signs: int) -> int:
        stream = draw.estimator.label, draw.offset, member
        if stream not in self._first_slots:
            self._first_slots[stream] = len(self.code.slots)
            self.code.slots += [Slot(*stream, index) for index in range(signs)]
        return self._first_slots[stream]
