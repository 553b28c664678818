"""What a certificate has to know of a run: moves and beginnings on balls, around a point near where the step rests."""

from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from ratecert.arithmetic.arrays import Balls, doubles
from ratecert.arithmetic.norms import norm
from ratecert.solvers.contract.problem import CentredProblem
from ratecert.solvers.contract.stage import Algorithm
from ratecert.solvers.engines.certificates.control_moves import control_moves
from ratecert.solvers.engines.certificates.invariant import Begin, Move, Push
from ratecert.solvers.engines.certificates.modes import Block, blocks_of_fields, one_block
from ratecert.solvers.engines.moments.affine import ONE
from ratecert.solvers.engines.moments.bounds import noise_bound
from ratecert.solvers.engines.moments.frame import Frame, resting_point
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.measures import measure_map
from ratecert.solvers.engines.moments.step_map import StepMap, StepNoise

Array = NDArray[Any]  # of balls


class Motion:
    """The moves of one device, and the fields that an average over devices leaves apart."""

    def __init__(self, solver: Algorithm, K: int, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.fields = {name: part for name, part in interpreter.layout.slices.items() if name != ONE}
        step = interpreter.step(0, 1)
        self.frame = Frame(centre := resting_point(step.matrix), np.ones(len(centre) + 1))
        self.varies = not interpreter.constant
        self.moves = control_moves(interpreter, 0, self.frame) if self.varies else [move_of(step, self.frame)]
        (stage,) = solver.stages
        self.period = stage.repeats
        self.kept = interpreter.kept_by_average(stage.averaged)[:-1, :-1]
        self.averages_all = K == 1 or not doubles(self.kept).any()

    @property
    def bases(self) -> list[list[Block]]:
        """In which an invariant set is looked for: those of the largest step first."""
        if not self.varies:
            return one_block(self.moves[0].D)
        maps = [move.D for move in self.moves]
        return [basis for D in reversed(maps) for basis in blocks_of_fields(D, maps, self.fields)]

    def begin(self, start: Array) -> Begin:
        """The state that the first iteration, or the algorithm's own start, leads to."""
        step = self.interpreter.first
        w = Balls.of(np.append(start, 1.0))
        pushes = []
        for noise in step.noises:
            gain, constant = noise_bound(noise.moments)
            for R, G in noise.acts:
                z = R @ w
                pushes.append(Push(G[:-1], R[:-1, :-1], arb(0), gain * norm(z[:-1]) + constant * abs(z[-1])))
        return Begin((step.matrix @ w)[:-1] - self.frame.centre, pushes)


def move_of(step: StepMap, frame: Frame) -> Move:
    """A step at one step size."""
    D = frame.increment(step.matrix)
    return Move(D[:-1, :-1], D[:-1, -1], [push for noise in step.noises for push in _pushes(noise, frame)])


def _pushes(noise: StepNoise, frame: Frame) -> list[Push]:
    gain, constant = noise_bound(noise.moments)
    pushes = []
    for R, G in noise.acts:
        moved = frame.read(R)
        fixed = gain * norm(moved[:-1, -1]) + constant * abs(moved[-1, -1])
        pushes.append(Push(G[:-1], moved[:-1, :-1], gain, fixed))
    return pushes


def readouts(problem: CentredProblem, interpreter: Interpreter) -> list[Array]:
    """(x, y) - (a, b) and (x, y*(x)) - (a, b) as matrices on (coordinates, 1)."""
    layout = interpreter.layout
    identity = Balls.identity(layout.size)
    iterates = np.vstack([identity[layout.slices["x"]], identity[layout.slices["y"]]])
    iterates[:, -1] = -Balls.of(np.concatenate([problem.a, problem.b]))
    tracking = measure_map(interpreter.truth, layout, 1).maps[1]  # y - y*(x)
    at_truth = iterates.copy()
    at_truth[problem.d_x :] = at_truth[problem.d_x :] - tracking
    return [iterates, at_truth]
