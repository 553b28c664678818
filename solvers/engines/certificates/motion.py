"""What a certificate has to know of a run: moves and beginnings on balls, around a point near where the step rests."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from ratecert.base.arrays import Balls, doubles, norm, summed
from ratecert.solvers.contract.draws import moves_of
from ratecert.solvers.contract.measures import slope_and_constant
from ratecert.solvers.contract.problem import CentredProblem
from ratecert.solvers.contract.stage import Algorithm
from ratecert.solvers.engines.certificates.control_moves import control_moves
from ratecert.solvers.engines.certificates.invariant import Begin, Move, Push
from ratecert.solvers.engines.certificates.modes import Block, blocks_of_fields, one_block
from ratecert.solvers.engines.moments.affine import ONE
from ratecert.solvers.engines.moments.bounds import noise_bound
from ratecert.solvers.engines.moments.frame import Frame, resting_point
from ratecert.solvers.engines.moments.interpreter import Interpreter
from ratecert.solvers.engines.moments.layout import Layout
from ratecert.solvers.engines.moments.step_map import StepMap, StepNoise

Array = NDArray[Any]  # of balls


class Motion:
    """The moves of devices, in common coordinates, and the fields that an average over devices leaves apart.

    Devices that are alike have one interpreter for all.
    """

    def __init__(self, solver: Algorithm, K: int, interpreters: Sequence[Interpreter]) -> None:
        self.interpreters, self.interpreter = interpreters, interpreters[0]
        self.fields = {name: part for name, part in self.interpreter.layout.slices.items() if name != ONE}
        self.steps = [device.step(0, 1) for device in interpreters]
        centre = resting_point(summed(step.matrix for step in self.steps) / len(self.steps))
        self.frame = Frame(centre, np.ones(len(centre) + 1))
        self.varies = not self.interpreter.constant
        self.by_device = [
            control_moves(device, 0, self.frame) if self.varies else [move_of(step, self.frame)]
            for device, step in zip(interpreters, self.steps, strict=True)
        ]
        self.moves = [move for moves in self.by_device for move in moves]
        (stage,) = moves_of(solver.stages)
        self.period = stage.repeats
        self.begun = 0 if self.interpreter.has_start else 1  # steps that the beginnings are the result of
        basis, left = self.interpreter.deviations_kept([stage.averaged])
        self.basis, self.left = basis[:-1], left[:, :-1]
        self.kept = self.basis @ self.left
        self.averages_all = K == 1 or not doubles(self.kept).any()

    @property
    def grows(self) -> bool:
        """Whether noise grows with the iterates."""
        return any(push.gain > 0 for move in self.moves for push in move.pushes)

    @property
    def bases(self) -> list[list[Block]]:
        """In which an invariant set is looked for: modes of the mean largest step, of all fields and in blocks.

        Modes of all fields belong to one step size, so where it varies they are of no use.
        """
        largest = summed(moves[-1].D for moves in self.by_device) / len(self.by_device)
        in_blocks = blocks_of_fields(largest, [move.D for move in self.moves], self.fields)
        return in_blocks if self.varies else [*one_block(largest), *in_blocks]

    def begins(self, start: Array) -> list[Begin]:
        """The states that the first iteration, or the algorithm's own start, leads to; one for each interpreter."""
        return [_begin(device.first, start, self.frame) for device in self.interpreters]


def _begin(step: StepMap, start: Array, frame: Frame) -> Begin:
    w = Balls.of(np.append(start, 1.0))
    pushes = []
    for noise in step.noises:
        gain, constant = noise_bound(noise.moments)
        for R, G in noise.acts:
            z = R @ w
            pushes.append(Push(G[:-1], R[:-1, :-1], arb(0), gain * norm(z[:-1]) + constant * abs(z[-1])))
    return Begin((step.matrix @ w)[:-1] - frame.centre, pushes)


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


def readouts(problem: CentredProblem, layout: Layout) -> list[Array]:
    """(x, y) - (a, b) and (x, y*(x)) - (a, b) as matrices on (coordinates, 1)."""
    identity = Balls.identity(layout.size)
    iterates = np.vstack([identity[layout.slices["x"]], identity[layout.slices["y"]]])
    iterates[:, -1] = -Balls.of(np.concatenate([problem.a, problem.b]))
    slope, constant = slope_and_constant(problem.y_star, identity, problem.d_x)
    at_truth = iterates.copy()
    at_truth[problem.d_x :] = 0 * at_truth[problem.d_x :]
    at_truth[problem.d_x :, layout.slices["x"]] = slope
    at_truth[problem.d_x :, -1] = constant[:, 0] - Balls.of(problem.b)
    return [iterates, at_truth]
