"""Devices on Flower's engine: each device is a node, each round of the algorithm is a round of Flower's own FedAvg.

    pip install 'ratecert[flower]'
    python docs/on_flower.py LocalBSGM            # or FedNest, FedAvg, ProxSkip

What Flower calls a model is the vector that a device sends in a round. All nodes have the same weight, so Flower's
aggregate is the plain mean over devices, which is all that an algorithm of `ratecert` asks of a transport, and the
nodes take it as the answer when the next round begins. A node may be started anew for every round: the state of its
device, and how many moves it has made, lie in its Flower context. All arrays stay float64.

The same devices run in one process with `rc.contract.in_lockstep`. Both draw the same signs, so both must end in the
same state. The script prints one JSON object, and exits with 1 if the states differ by more than 1e-12.
"""

import json
import os
import sys
from typing import Any

import numpy as np

import ratecert as rc
from ratecert.contract import FederatedDevice, State

K, T, REPLICATES, SEED = 3, 24, 2, 0
TOLERANCE = 1e-12  # relative to the largest number of a field; only the order of additions differs
VECTOR, FIELDS, PLACE = "vector", "fields", "place"

NOISE = {"s_f": 0.5, "s_g": 0.5, "sigma_H": 0.2, "sigma_J": 0.2}
PLANE = {"d_x": 3, "d_y": 3, **NOISE, "seed": 1}
LINE = {"spectrum": (1.0, 2.0, 4.0), "K": K, "dial": 0.5, "s": 0.5, "seed": 1}
LOCAL = {"eta": 0.02, "alpha": 10.0, "beta": 10.0, "rho_1": 0.5, "rho_2": 2.0, "p": 4, "theta": 0.2, "Q": 5}
NEST = {"alpha": 0.02, "beta": 0.1, "tau": 4, "T_in": 2, "theta": 0.2, "N": 6}
WEIGHTS = np.arange(1, K + 1) / (K * (K + 1) / 2)

EXAMPLES: dict[str, tuple[Any, Any]] = {  # method -> it and a world
    "LocalBSGM": (rc.methods.LocalBSGM(**LOCAL), rc.worlds.random_quadratic(mu=1.0, L_1=4.0, **PLANE)),
    "FedNest": (rc.methods.FedNest(**NEST), rc.worlds.heterogeneous(K=K, dial=0.3, **PLANE)),
    "FedAvg": (
        rc.methods.FedAvg(alpha=0.1, p=4, m=2, replacement=True),
        rc.worlds.federated(**LINE, weights=WEIGHTS),
    ),
    "ProxSkip": (rc.methods.ProxSkip(gamma=0.1, p=0.25), rc.worlds.federated(**LINE, weights=WEIGHTS)),
}


def device(name: str, k: int, *, seed: int = SEED) -> FederatedDevice:
    """Device k of the example, with all that it needs to know."""
    solver, world = EXAMPLES[name]
    start = {"x0": np.ones(3)} | ({"y0": np.zeros(3)} if hasattr(world, "y_star") else {})
    setting = rc.contract.prepare(world, solver, K=K, T=T, **start, times=None)
    return FederatedDevice(setting, k, seed=seed, replicates=REPLICATES)


def in_one_process(name: str, *, seed: int = SEED) -> tuple[list[dict[str, Any]], int]:
    """The fields of every device at the end of the run, and the number of rounds."""
    ends = rc.contract.in_lockstep([device(name, k, seed=seed) for k in range(K)])
    return [vars(state) for state, _ in ends], ends[0][1].rounds


def next_round(
    own: FederatedDevice, kept: dict[str, Any] | None, moves: int, mean: Any
) -> tuple[dict[str, Any], int, dict[str, Any]]:
    """From the mean of the last round to the state before the next one, its number of moves, and what is sent.

    After the last round the run goes to its end, and the device sends its state, for whoever compares it.
    """
    state = own.start() if kept is None else own.round_after(moves, State(**kept)).after(mean)
    try:
        due = next(own.rounds(state, moves))
    except StopIteration as end:
        return vars(end.value), moves, vars(end.value)
    return vars(due.s), due.moves, {VECTOR: due.sent}


def client_app(name: str) -> Any:
    """A node of Flower: one device, which it finds again by its number."""
    from flwr.app import Array as Sent
    from flwr.app import ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
    from flwr.clientapp import ClientApp

    def record(arrays: dict[str, Any]) -> Any:
        return ArrayRecord({name: Sent(np.ascontiguousarray(array)) for name, array in arrays.items()})

    def train(message: Any, context: Any) -> Any:
        kept, moves = None, 0
        if FIELDS in context.state:
            kept = {name: field.numpy() for name, field in context.state[FIELDS].items()}
            moves = int(context.state[PLACE]["moves"])
        k = int(context.node_config["partition-id"])
        mean = message.content["arrays"][VECTOR].numpy()
        fields, moves, sent = next_round(device(name, k), kept, moves, mean)
        context.state[FIELDS] = record(fields)
        context.state[PLACE] = ConfigRecord({"moves": moves})
        content = {"arrays": record(sent), "metrics": MetricRecord({"num-examples": 1})}
        return Message(content=RecordDict(content), reply_to=message)

    app = ClientApp()
    app.train()(train)
    return app


def on_flower(name: str, *, rounds: int) -> dict[str, Any]:
    """The mean over the devices of every field at the end of the run, by Flower's simulation engine."""
    os.environ.setdefault("FLWR_TELEMETRY_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    from flwr.app import Array as Sent
    from flwr.app import ArrayRecord
    from flwr.serverapp import ServerApp
    from flwr.serverapp.strategy import FedAvg
    from flwr.simulation import run_simulation

    means: list[dict[str, Any]] = []

    def keep(_round: int, arrays: Any) -> None:
        means.append({field: array.numpy() for field, array in arrays.items()})

    def main(grid: Any, _context: Any) -> None:
        everyone = {"min_train_nodes": K, "min_available_nodes": K}
        FedAvg(fraction_train=1.0, fraction_evaluate=0.0, **everyone).start(
            grid=grid,
            initial_arrays=ArrayRecord({VECTOR: Sent(np.zeros(1))}),  # nobody reads it
            num_rounds=rounds + 1,  # in the last one the devices go on from the last mean to the end
            evaluate_fn=keep,
        )

    server = ServerApp()
    server.main()(main)
    run_simulation(
        server_app=server,
        client_app=client_app(name),
        num_supernodes=K,
        backend_config={"client_resources": {"num_cpus": 1, "num_gpus": 0.0}},
    )
    return means[-1]


def difference(found: dict[str, Any], states: list[dict[str, Any]]) -> float:
    """The largest of any field's mean over devices, relative to the largest number of the field."""
    gaps = []
    for field in states[0]:
        expected = np.mean([state[field] for state in states], axis=0)
        gaps.append(np.abs(found[field] - expected).max() / (np.abs(expected).max() or 1.0))
    return float(max(gaps))


if __name__ == "__main__":
    method = sys.argv[1]
    expected, rounds = in_one_process(method)
    found = on_flower(method, rounds=rounds)
    gap = difference(found, expected)
    fields = {field: array.tolist() for field, array in found.items()}
    print(json.dumps({"rounds": rounds, "difference": gap, "fields": fields}))
    raise SystemExit(gap > TOLERANCE)
