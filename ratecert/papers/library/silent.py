"""Statements at which the tool must keep silent: what is false of them is out of its reach.

Polyak's tuning of heavy ball converges on every quadratic, and cycles on some smooth strongly convex function (Lessard,
Recht and Packard 2016). Adam's regret bound is false (Reddi, Kale and Kumar 2018), and the method is not affine: it has
no claim here, and none could be decided.
"""

import math
from collections.abc import Iterator

import ratecert as rc
from ratecert.claims import Budget, Check, Claim, Json, Rows, Task, not_seen
from ratecert.claims.check import at_most

PAPER = rc.about("Statements out of reach", certainty="note")
POLYAK = rc.statements.Text(
    id="heavy-ball",
    title="Heavy ball with Polyak's tuning",
    source="Polyak (1964), as quoted by Lessard, Recht and Packard (2016)",
    sentence="With alpha = 4/(sqrt(L) + sqrt(mu))^2 and beta = rho^2, rho = (sqrt(L) - sqrt(mu))/(sqrt(L) + sqrt(mu)), "
    "heavy ball converges linearly, at the rate rho, on L-smooth mu-strongly convex functions.",
)
ADAM = rc.statements.Text(
    id="adam",
    title="The regret of Adam, a statement that is false (Reddi, Kale and Kumar 2018)",
    source="Kingma and Ba (2015), as quoted by Reddi, Kale and Kumar (2018)",
    sentence="On convex functions with bounded gradients the average regret of Adam vanishes.",
)

CONDITION = 100.0  # L/mu, with mu = 1


def reached(T: int) -> list[Json]:
    """How far heavy ball is from x* after T steps, in the steepest and in the flattest direction."""
    root = math.sqrt(CONDITION)
    rho = (root - 1) / (root + 1)
    solver = rc.methods.HeavyBall(alpha=4 / (root + 1) ** 2, beta=rho**2)
    rows = []
    for h in (1.0, CONDITION):
        world = rc.worlds.SingleLevel(H=h)
        run = rc.expect(
            world, solver, K=1, T=T, x0=1.0, measures={"far": rc.measures.distance().last()}, times=[]
        )
        rows.append({"curvature": h, "rate": run.far ** (1 / (2 * T)), "rho": rho})
    return rows


def tasks(_: Budget) -> list[Task]:
    return [Task(reached, {"T": T}) for T in (100, 1000)]


def checks(rows: Rows) -> Iterator[Check]:
    """The distance is at most rho^T times a power of T: its T-th root tends to rho as log(T)/T."""
    for row in rows:
        room = 2 * math.log(4 * row["T"]) / row["T"]
        yield at_most(
            f"rate after {row['T']} steps, curvature {row['curvature']:g}", row["rate"], row["rho"], 0.0, room
        )


CLAIMS = (
    Claim(
        id="heavy-ball",
        of=("heavy-ball",),
        sentence="On quadratics heavy ball with Polyak's tuning has the rate rho; of the class nothing follows.",
        tasks=tasks,
        checks=checks,
        regime="quadratics alone; the statement speaks of all smooth strongly convex functions",
        method="exact moments",
        evidence=("exact moments",),
        settings={"L/mu": CONDITION},
        notes=[
            not_seen(
                "it is false for the class: there is a smooth strongly convex function on which the iterates cycle "
                "(Lessard, Recht and Packard 2016), and no quadratic shows that"
            )
        ],
        table=("T", "curvature", "rate", "rho"),
    ),
)
