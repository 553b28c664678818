"""Papers and their statements by id: read, register, lint, evaluate, put a world's numbers in, run along them."""

import math
import re
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

from ratecert.base.asked import FIRST, asked
from ratecert.base.errors import UserError, UserTypeError
from ratecert.base.validation import require_whole
from ratecert.base.words import did_you_mean
from ratecert.binding.binding import Binding
from ratecert.catalogue import find, load
from ratecert.catalogue.load import library, own, part
from ratecert.claims.claim import Claim
from ratecert.solvers.engines.experiment import Run
from ratecert.theory.lint import Finding
from ratecert.theory.lint import lint as lint_paper
from ratecert.theory.numbers import admissible as in_numbers
from ratecert.theory.numbers.admissible import Admissible, WithConstants, WithMinimiser, constants_of
from ratecert.theory.numbers.evaluation import Bound, as_finite, require_symbols, with_constants
from ratecert.theory.numbers.evaluation import evaluate as evaluate_in
from ratecert.theory.paper import Paper
from ratecert.theory.statements import Theorem

KEY = re.compile(r"[A-Za-z0-9][\w-]*")


def paper(variant: str = "printed", key: str = FIRST) -> Paper:
    """Return a paper as data: its notation, its statements by id, its constants.

    variant   "printed", to the letter of the print, mistakes included; or "repaired", with the errata applied
    key       "federated-bilevel" (the default) or "parallel-sgd"

    >>> import ratecert as rc
    >>> theorem = rc.paper("printed")["theorem-1"]
    >>> print(theorem.terms["noise_u"])
    4*alpha*eta*sigma**2/K
    """
    return find.paper(variant, asked(key))


def lint(paper: Paper | str = FIRST, variant: str = "printed") -> list[Finding]:
    """List what is unsound in the statements of a paper: units, symbols, corollaries, consistency, windows.

    paper     a `Paper`, or the key of one that comes with the package
    variant   "printed" or "repaired", where a key is given

    >>> import ratecert as rc
    >>> finding = next(f for f in rc.lint("federated-bilevel") if f.place == "theorem-1.term.noise_u")
    >>> print(finding.kind, "|", finding.printed, "|", finding.fits)
    consistency | 4*alpha*eta*sigma**2/K | 4*G**2*alpha*eta/K
    >>> rc.lint("federated-bilevel", "repaired")
    []
    """
    return lint_paper(paper if isinstance(paper, Paper) else find.paper(variant, asked(paper)))


def evaluate(paper: Paper | str, theorem: str, values: Mapping[str, float]) -> Bound:
    """Evaluate the bound of a theorem at given numbers, term by term.

    paper     a `Paper`, or "printed" or "repaired" for the version of the paper that has the theorem
    theorem   its id; `paper:statement` where it is not of the first paper
    values    a number for every symbol of the theorem: the assumptions' constants, the steps, K, T, ...

    Outside the theorem's conditions it raises `errors.OutsideConditionsError`, with both sides.

    >>> import ratecert as rc
    >>> numbers = {"K": 8, "T": 2**20, "eta": 0.1, "L": 4.0, "sigma": 0.5, "Phi_gap": 2.0}
    >>> bound = rc.evaluate("printed", "parallel-sgd:sgd-descent", numbers)
    >>> bound.dominating, round(bound.total, 6)
    ('noise', 0.012538)
    """
    if isinstance(paper, Paper):
        return evaluate_in(paper, theorem, values)
    return evaluate_in(find.holding(asked(theorem), paper), find.split(theorem)[1], values)


def admissible(
    theorem: str,
    world: WithMinimiser | Mapping[str, float],
    K: float,
    p: float,
    T: float,
    *,
    variant: str = "repaired",
    **options: Any,
) -> Admissible:
    """Find the largest steps inside the conditions of a theorem on a world, and the bound there.

    theorem   its id
    world     a world of `rc.worlds`, or a mapping of the assumptions' constants and the gaps at the start
    K, p, T   devices, steps in a round, iterations
    variant   "printed" or "repaired"
    options   Q: terms of the Neumann sum, default as many as T needs; B: batch; x0, y0: start; radius: of the ball on
              which the constants are taken; reading: "joint" or "block"; fixed: steps by name; fractions: of the
              largest step, by name; paper: a `Paper` of your own

    >>> import ratecert as rc
    >>> world = rc.worlds.random_quadratic(d_x=2, d_y=2, mu=1.0, L_1=4.0, s_f=0.5, s_g=0.5, seed=1)
    >>> found = rc.admissible("theorem-2", world, K=8, p=4, T=10**12, radius=10.0)
    >>> found.bound.dominating
    'start_u'
    """
    known = [
        name
        for name, each in signature(in_numbers.admissible).parameters.items()
        if each.kind is each.KEYWORD_ONLY
    ]
    if unknown := sorted(set(options) - set(known)):
        hint = did_you_mean(unknown[0], known, f"those are variant, {', '.join(known)}.")
        raise UserTypeError(f"{unknown[0]} is no option of admissible; {hint}")
    if "paper" not in options:
        options["paper"], (_, theorem) = find.holding(asked(theorem), variant), find.split(theorem)
    return in_numbers.admissible(theorem, world, K, p, T, **options)


def constants(
    world: WithConstants | Mapping[str, float],
    *,
    radius: float = math.inf,
    reading: str = "joint",
    paper: Paper | str = "repaired",
    **values: float,
) -> dict[str, float]:
    """Compute the constants of a paper on a world: those of its assumptions, and all that are defined by them.

    world     a world of `rc.worlds`, or a mapping of the assumptions' constants
    radius    of the ball around (a, b) on which they are to hold; the whole space unless given
    reading   "joint" or "block": what L_1 bounds, the whole Hessian or its blocks
    paper     a `Paper`, or "printed" or "repaired" for the first one
    values    numbers for other symbols, such as theta and Q, on which some constants depend

    >>> import ratecert as rc
    >>> world = rc.worlds.aligned(mu=1.0, L_1=4.0)
    >>> known = rc.constants(world, radius=2.0, reading="block", theta=1 / 8, Q=10)
    >>> known["L_1"], round(known["Delta_Q"], 3)
    (4.0, 7.366)
    """
    version = paper if isinstance(paper, Paper) else find.paper(paper)
    given = constants_of(world, radius=radius, reading=reading)
    require_symbols(version, {**given, **values} if isinstance(world, Mapping) else values)
    finite = {name: value for name, value in given.items() if value != math.inf}  # L_0 needs a radius
    return with_constants(version, {**finite, **values})


def along(
    corollary: str,
    *,
    K: int,
    T: int | None = None,
    eps: float | None = None,
    units: Mapping[str, float],
    variant: str = "printed",
    **hyperparameters: Any,
) -> Run:
    """Make the algorithm of a corollary, with every hyperparameter at its order in K and T (or eps) times a unit.

    corollary         its id, such as "corollary-1"
    K                 devices
    T                 iterations, where the corollary scales with T
    eps               accuracy, where it scales with eps and says what T is
    units             by name, what O(.) leaves open; 1 where it does not say
    variant           "printed" or "repaired"
    hyperparameters   of the algorithm: those that the corollary does not scale, such as theta, the step of the Neumann
                      sum, which must be given; and any that is to be replaced

    >>> import ratecert as rc
    >>> run = rc.along("corollary-1", K=16, T=2**20, theta=0.4, units={"eta": 2.0})
    >>> round(run.solver.step_size(0), 6), run.solver.p, run.solver.Q
    (0.007812, 4, 9)
    """
    key, inside = find.split(asked(corollary))
    K = require_whole("K", K, least=1)
    T = None if T is None else require_whole("T", T, least=1)
    if eps is not None and not as_finite("eps", eps) > 0:
        raise UserError(f"eps must be a number > 0, got {eps!r}.")
    if T is not None and eps is not None:
        raise UserError(
            f"one of T and eps must be given, that with which {corollary} scales, got T = {T}, eps = {eps!r}."
        )
    scaled = part(key, "along")
    if scaled is None:
        raise UserError(f"paper must be one with scalings, such as {FIRST}, got {key!r}.")
    planned: Run = scaled(inside, K=K, T=T, eps=eps, units=units, variant=variant, **hyperparameters)
    return planned


def register(
    printed: Paper,
    runs: Mapping[str, Binding] | None = None,
    *,
    repaired: Paper | None = None,
    claims: Sequence[Claim] = (),
) -> str:
    """Make a paper known in this process under its own key, and return that key; a second call replaces it.

    printed    a `Paper` of `rc.statements`, to the letter of the print
    runs       theorem -> `rc.statements.Binding`, what is run and measured: the RUNS of a paper's file
    repaired   the same paper with its errata, `printed.repaired(...)`
    claims     claims of your own (`rc.claims`)

    Then `rc.lint(key)`, `rc.paper(key=key)` and, with jobs=1, `rc.falsify(f"{key}:theorem-1")` take it. Workers cannot
    load what is in no file.

    >>> from dataclasses import replace
    >>> import ratecert as rc
    >>> run = rc.statements.Binding(
    ...     method=rc.methods.SGD, hyperparameters={"alpha": rc.statements.letter("eta")},
    ...     measure=rc.measures.gradient(), constants={"L": "L", "sigma": "sigma", "Phi_gap": "gap"})
    >>> key = rc.register(replace(rc.paper(key="parallel-sgd"), key="my-sgd"), {"sgd-descent": run})
    >>> rc.falsify(f"{key}:sgd-descent", budget=40).falsified
    False
    """
    _require_paper("printed", printed)
    _require_free(printed.key)
    if repaired is not None:
        _require_paper("repaired", repaired)
        if repaired.key != printed.key:
            raise UserError(
                f"repaired must be the same paper with its errata, printed.repaired(...), got the key {repaired.key!r} "
                f"beside {printed.key!r}."
            )
    bound = {} if runs is None else runs
    if not isinstance(bound, Mapping):
        raise UserTypeError(
            f"runs must be a mapping from theorems to rc.statements.Binding, got {runs!r:.60}."
        )
    for id, run in bound.items():
        printed.the(Theorem, id)
        if not isinstance(run, Binding):
            raise UserTypeError(f"runs[{id!r}] must be an rc.statements.Binding, got {run!r:.60}.")
    if not isinstance(claims, tuple | list):
        raise UserTypeError(f"claims must be a tuple of claims, got {claims!r:.60}.")
    load.register(printed.key, PRINTED=printed, REPAIRED=repaired, RUNS=dict(bound), CLAIMS=tuple(claims))
    return printed.key


def _require_paper(name: str, value: Any) -> None:
    if not isinstance(value, Paper):
        raise UserTypeError(f"{name} must be a Paper of rc.statements, got {value!r:.60}.")


def _require_free(key: str) -> None:
    """Refuse a key that is another paper's, or that could be taken for a file, a module or an id."""
    if not KEY.fullmatch(key):
        raise UserError(f"the key of a paper must be a name such as my-paper, got {key!r}.")
    other = own().get(key) or library().get(key)
    if other:
        raise UserError(f"{key} is the key of {other}; give the paper another.")
