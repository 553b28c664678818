"""The kinds of statement a paper makes, as data. Expressions are SymPy's, in the letters of the paper's notation.

A statement knows its id (`theorem-1`), where it stands in the paper, and its parts; a part has a place such as
`theorem-1.term.noise_u`, by which the linter, the errata and the reports speak of it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Number, Real
from typing import Any

import sympy

from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.validation import require_choice, require_type
from ratecert.theory.notation import letter, names_of, require_enclosable

KINDS = ("O", "Theta", "O~")
COUNTED = ("iterations", "samples", "rounds")
# Fields of statements that are formulas.
FORMULAS = ("left", "right", "where", "updates", "samples_first", "samples_later", "terms", "window")
RELATIONS = {"<=": sympy.Le, "<": sympy.Lt, "=": sympy.Eq, ">": sympy.Gt, ">=": sympy.Ge}


def require_no_text(what: str, given: Any) -> None:
    """Refuse a text where a formula has to be: SymPy would run it as Python."""
    if isinstance(given, str):
        raise UserTypeError(
            f"{what} must be made of letters, such as letter('L') * letter('alpha')**2, got {given!r:.60}."
        )
    inside = given.values() if isinstance(given, Mapping) else given
    for each in inside if isinstance(given, Mapping | tuple | list) else ():
        require_no_text(what, each)


def in_sympy(given: Any) -> Any:
    """The same, with SymPy's own expressions for what has one, such as a formula of rc.letters."""
    if isinstance(given, Mapping):
        return {in_sympy(key): in_sympy(value) for key, value in given.items()}
    if isinstance(given, tuple):
        return tuple(map(in_sympy, given))
    return given._sympy_() if hasattr(given, "_sympy_") else given


def expression(what: str, given: Any) -> Any:
    """A formula that has a value as an expression of SymPy, which a plain number is not."""
    require_no_text(what, given)
    made = in_sympy(given)
    made = sympy.sympify(made) if isinstance(made, Number) else made
    require_enclosable(what, made)
    return made


@dataclass(frozen=True, kw_only=True, repr=False)
class Statement:
    """What every numbered part of a paper has: an id, a title and where it stands."""

    id: str
    title: str
    source: str  # where it stands in the paper
    printed: bool = True  # or entered beside the print, such as the orders of a theorem's terms

    def __post_init__(self) -> None:
        require_type("the id of a statement", self.id, str, "a text such as 'theorem-1'")
        for name in (each for each in FORMULAS if hasattr(self, each)):
            require_no_text(f"{self.id}: {name}", getattr(self, name))
            object.__setattr__(self, name, in_sympy(getattr(self, name)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id}: {self.title}, {self.source}>"

    def parts(self) -> Iterator[tuple[str, Any]]:
        """(place, expression) for every formula in the statement."""
        return self.equations()

    def equations(self) -> Iterator[tuple[str, Any]]:
        """Those that are equations."""
        return iter(())


@dataclass(frozen=True, kw_only=True, repr=False)
class Text(Statement):
    """What is said in words: the problem, an assumption; conditions that stand in it the linter reads."""

    sentence: str
    conditions: Mapping[str, "Condition"] = field(default_factory=dict)

    def equations(self) -> Iterator[tuple[str, Any]]:
        for name, condition in self.conditions.items():
            yield f"{self.id}.condition.{name}", condition.as_relation()


@dataclass(frozen=True, kw_only=True, repr=False)
class Assumption(Text):
    """An assumption as requirements on the constants of a world: name -> least admissible value, all finite."""

    constants: Mapping[str, float]
    strict: bool = False  # the constants exceed their least value


@dataclass(frozen=True, kw_only=True, repr=False)
class Definition(Statement):
    """left = right, where left is a constant or a power of one, as printed (L_hat^2 = ...)."""

    left: Any
    right: Any

    @property
    def symbol(self) -> Any:
        """The constant that is defined."""
        return self.left.as_base_exp()[0]

    @property
    def value(self) -> Any:
        """The constant itself."""
        return self.right ** (1 / self.left.as_base_exp()[1])

    def equations(self) -> Iterator[tuple[str, Any]]:
        yield self.id, sympy.Eq(self.left, self.right, evaluate=False)


@dataclass(frozen=True, kw_only=True, repr=False)
class Formula(Statement):
    """A function of `arguments`: a hypergradient and its estimators. Matrices are symbols that do not commute."""

    left: Any
    right: Any
    arguments: tuple[str, ...] = ()  # as printed between the parentheses
    depends_on: tuple[str, ...] = ()  # what the right side is evaluated at
    where: Mapping[Any, Any] = field(default_factory=dict)  # symbols of the right side, spelled out
    note: str = ""

    def equations(self) -> Iterator[tuple[str, Any]]:
        yield self.id, sympy.Eq(self.left, self.right, evaluate=False)
        for symbol, expression in self.where.items():
            yield f"{self.id}.{symbol}", sympy.Eq(symbol, expression, evaluate=False)


@dataclass(frozen=True)
class Line:
    """A line of pseudocode: what it reads and assigns at iteration t, as (variable, shift of t)."""

    text: str
    reads: tuple[tuple[str, int], ...]
    assigns: tuple[tuple[str, int], ...]
    when: str = "always"  # or "first" (t = 0), "later" (t > 0), "round" (t + 1 divisible by p)
    calls: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (formula, arguments as printed)


@dataclass(frozen=True)
class Estimate:
    """A momentum: the weight that averages its samples, and the constant that bounds their noise."""

    momentum: str
    weight: Any
    noise: Any


@dataclass(frozen=True, kw_only=True, repr=False)
class Algorithm(Statement):
    """Pseudocode as data: its lines, the updates that they make, and the samples that it takes."""

    hyperparameters: tuple[str, ...] = ()
    starts_from: tuple[tuple[str, int], ...] = ()  # what is given before the loop, with its index
    lines: tuple[Line, ...] = ()
    # variable -> (its new value, the expression for it)
    updates: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    estimates: tuple[Estimate, ...] = ()
    requires: str = ""  # as printed
    # Of a step that is a function: field -> what it becomes, in letters of its own, and the units that these have.
    step: Mapping[str, Any] = field(default_factory=dict)
    step_units: Mapping[str, str] = field(default_factory=dict)
    samples_first: Any = 1  # per device
    samples_later: Any = 1

    def equations(self) -> Iterator[tuple[str, Any]]:
        for name, (left, right) in self.updates.items():
            yield f"{self.id}.{name}", sympy.Eq(left, right, evaluate=False)

    def parts(self) -> Iterator[tuple[str, Any]]:
        yield from self.equations()
        yield f"{self.id}.samples", sympy.Tuple(self.samples_first, self.samples_later)


@dataclass(frozen=True)
class Condition:
    """left `relation` the smallest (or largest) of the clauses."""

    left: Any
    relation: str
    clauses: tuple[Any, ...]
    of: type = sympy.Min

    def __post_init__(self) -> None:
        require_choice("the relation of a condition", self.relation, [*RELATIONS])
        require_type("the clauses of a condition", self.clauses, tuple | list, "a tuple such as (1/L,)")
        if self.of not in (sympy.Min, sympy.Max):
            raise UserTypeError(f"`of` of a condition must be Min or Max of sympy, got {self.of!r:.60}.")
        left, *clauses = (expression("a side of a condition", each) for each in (self.left, *self.clauses))
        object.__setattr__(self, "left", left)
        object.__setattr__(self, "clauses", tuple(clauses))

    @cached_property
    def name(self) -> str:
        """The symbol that it bounds."""
        return str(self.left)

    @cached_property
    def names(self) -> frozenset[str]:
        """Of all its symbols."""
        return frozenset(names_of(self.left, *self.clauses))

    @cached_property
    def right(self) -> Any:
        """The smallest (or largest) of the clauses, as an expression."""
        return self.clauses[0] if len(self.clauses) == 1 else self.of(*self.clauses, evaluate=False)

    def as_relation(self) -> Any:
        """The condition as a relation of SymPy, not evaluated."""
        return RELATIONS[self.relation](self.left, self.right, evaluate=False)


@dataclass(frozen=True, kw_only=True, repr=False)
class Theorem(Statement):
    """Within the conditions, measure <= the sum of the terms."""

    algorithm: str
    assumptions: tuple[str, ...]
    measure: str  # as printed, in LaTeX
    measure_units: str
    conditions: Mapping[str, Condition]
    terms: Mapping[str, Any]
    measure_text: str = ""  # the same for a terminal
    steps: str = ""  # those of the method, as printed, where they are this theorem's own
    sentence: str = ""  # of the paper, as printed
    latex: str = ""  # of the bound, as printed

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("conditions", "terms"):
            require_type(f"{self.id}: {name}", getattr(self, name), Mapping, "a mapping by name")
        for name, each in self.conditions.items():
            require_type(f"{self.id}: the condition {name}", each, Condition, "a Condition of rc.statements")
        if not self.terms:
            raise UserError(f"{self.id}: terms must name one term of the bound or more, got none.")
        terms = {name: expression(f"{self.id}: the term {name}", term) for name, term in self.terms.items()}
        object.__setattr__(self, "terms", terms)

    @property
    def bound(self) -> Any:
        """The sum of the terms."""
        return sympy.Add(*self.terms.values())

    @cached_property
    def prescribed(self) -> dict[str, Condition]:
        """Letter -> the equation that gives its value: a condition, or two that leave equality alone."""
        equations = [c for c in self.conditions.values() if c.relation == "="]
        pairs = [most if most.left.is_Symbol else least for most, least in self.between]
        return {c.name: replace(c, relation="=") for c in (*equations, *pairs)}

    @cached_property
    def between(self) -> list[tuple[Condition, Condition]]:
        """Pairs of <= and >= with one edge, such as alpha <= 1/L and alpha L >= 1, of which one has a letter alone."""
        asked = self.conditions.values()
        return [
            (most, least)
            for most in asked
            for least in asked
            if (most.relation, least.relation) == ("<=", ">=") and most.names == least.names
            if most.left.is_Symbol or least.left.is_Symbol
            if sympy.simplify(most.left * least.right - most.right * least.left) == 0
        ]

    @cached_property
    def names_in_terms(self) -> frozenset[str]:
        """Of all symbols of the bound."""
        return frozenset(names_of(*self.terms.values()))

    def parts(self) -> Iterator[tuple[str, Any]]:
        for name, condition in self.conditions.items():
            yield f"{self.id}.condition.{name}", condition.as_relation()
        for name, term in self.terms.items():
            yield f"{self.id}.term.{name}", term


@dataclass(frozen=True)
class Scaling:
    """O, Theta or O~ of an expression in K and T, or in K and eps."""

    order: Any
    kind: str = "O"

    def __post_init__(self) -> None:
        require_choice("the kind of a Scaling", self.kind, KINDS)
        object.__setattr__(self, "order", in_sympy(self.order))
        wanted = "an expression such as letter('T')**-1"
        require_type("the order of a Scaling", self.order, sympy.Basic | Real, wanted)

    def __str__(self) -> str:
        return f"{self.kind}({self.order})"


@dataclass(frozen=True, kw_only=True, repr=False)
class Corollary(Statement):
    """With the hyperparameters scaled so, and inside the window, the theorem's bound is of the claimed order."""

    theorem: str
    scalings: Mapping[str, Scaling]  # every hyperparameter, those "independent of T and K" as O(1)
    claim: Scaling
    window: tuple[Any, ...] = ()  # stated relations >= or <=
    same_as: str | None = None  # the corollary in T of which this one, in eps, is the other form
    note: str = ""  # what an order cannot say

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, scaling in {**self.scalings, "claim": self.claim}.items():
            require_type(f"{self.id}: {name}", scaling, Scaling, "a Scaling of an order")
        if self.window != ():
            require_type(f"{self.id}: window", self.window, tuple, "a tuple of relations")

    def parts(self) -> Iterator[tuple[str, Any]]:
        for name, scaling in self.scalings.items():
            yield f"{self.id}.{name}", sympy.Eq(letter(name), scaling.order, evaluate=False)
        for relation in self.window:
            yield f"{self.id}.window", relation
        yield f"{self.id}.rate", self.claim.order


@dataclass(frozen=True)
class Cost:
    """What a method is said to cost to reach eps. Without a corollary the row is only quoted."""

    method: str
    corollary: str | None
    counts: Mapping[str, Scaling]  # by one of COUNTED
    linear_speedup: bool | None = None

    def __post_init__(self) -> None:
        for name in self.counts:
            require_choice("what a cost counts", name, COUNTED)


@dataclass(frozen=True, kw_only=True, repr=False)
class Counts(Statement):
    """A remark or a table that counts."""

    costs: tuple[Cost, ...]
    sentence: str = ""

    def parts(self) -> Iterator[tuple[str, Any]]:
        for cost in self.costs:
            for name, scaling in cost.counts.items():
                yield f"{self.place(cost)}.{name}", scaling.order

    def place(self, cost: Cost) -> str:
        """Where a cost stands in the statement, as the linter names places."""
        return self.id if len(self.costs) == 1 else f"{self.id}.{cost.method}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Factor(Statement):
    """A remark that compares the rates of two corollaries: the first is the second times a factor."""

    first: str
    second: str
    factor: Scaling = field(default_factory=lambda: Scaling(sympy.Integer(1)))
    sentence: str = ""

    def parts(self) -> Iterator[tuple[str, Any]]:
        yield f"{self.id}.factor", self.factor.order
