"""Assumptions 1-3 (Section 3), as requirements on the constants that a world computes for itself."""

from ratecert.theory.language.statements import Assumption

ASSUMPTIONS = (
    Assumption(
        id="assumption-1",
        title="Strong convexity",
        source="Section 3, Assumption 1",
        sentence="Every sample g(x, .; zeta) is mu-strongly convex, for any x.",
        constants={"mu": 0.0},
        strict=True,
    ),
    Assumption(
        id="assumption-2",
        title="Smoothness",
        source="Section 3, Assumption 2",
        sentence=(
            "Every sample of f is L_0-Lipschitz; the gradients of f and g are L_1-Lipschitz; the mixed second "
            "derivative of g is L_21-Lipschitz and its second derivative in y is L_22-Lipschitz."
        ),
        constants={"L_0": 0.0, "L_1": 0.0, "L_21": 0.0, "L_22": 0.0},
    ),
    Assumption(
        id="assumption-3",
        title="Bounded variance",
        source="Section 3, Assumption 3",
        sentence="E||grad g(x, y) - grad g(x, y; zeta)||^2 <= sigma^2.",
        constants={"sigma": 0.0},
    ),
)
