"""The devices on Flower's engine: every device is a node, every round of the algorithm is a round of Flower's FedAvg.

What FedAvg calls a model is here the vector that a device sends in a round; with equal weights its aggregate is the
mean over the devices, and nodes take it as the answer in the next round. A node may be started anew for every round, so
what a device keeps between rounds lies in its Flower context: its fields, and how many moves it has made. All arrays
stay float64.

Flower is the extra `flower`, in an environment of its own: it pins many packages.
"""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratecert.federate.experiment import FederatedRun
from ratecert.solvers.contract.stage import State
from ratecert.solvers.engines.federation import FederatedDevice

Array = NDArray[np.float64]

VECTOR, FIELDS, PLACE = "vector", "fields", "place"


def client_app(experiment: FederatedRun) -> Any:
    from flwr.app import ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
    from flwr.clientapp import ClientApp

    def train(message: Any, context: Any) -> Any:
        """From the mean of the last round to what is sent in this one."""
        k = int(context.node_config["partition-id"])
        device = FederatedDevice(
            experiment.setting(), k, seed=experiment.seed, replicates=experiment.replicates
        )
        s, moves = device.start(), 0
        if FIELDS in context.state:
            kept = State(**{name: field.numpy() for name, field in context.state[FIELDS].items()})
            moves = int(context.state[PLACE]["moves"])
            s = device.round_after(moves, kept).after(message.content["arrays"][VECTOR].numpy())
        due = next(device.rounds(s, moves))
        context.state[FIELDS] = record(vars(due.s))
        context.state[PLACE] = ConfigRecord({"moves": due.moves})
        content = {"arrays": record({VECTOR: due.sent}), "metrics": MetricRecord({"num-examples": 1})}
        return Message(content=RecordDict(content), reply_to=message)

    def record(arrays: dict[str, Array]) -> Any:
        from flwr.app import Array as Sent

        return ArrayRecord({name: Sent(np.ascontiguousarray(array)) for name, array in arrays.items()})

    app = ClientApp()
    app.train()(train)
    return app


def server_app(experiment: FederatedRun, *, rounds: int, means: list[Array]) -> Any:
    """The mean of every round is put into the list."""
    from flwr.app import Array as Sent
    from flwr.app import ArrayRecord
    from flwr.serverapp import ServerApp
    from flwr.serverapp.strategy import FedAvg

    def keep(round: int, arrays: Any) -> None:
        if round > 0:
            means.append(arrays[VECTOR].numpy())

    def main(grid: Any, _context: Any) -> None:
        everyone = {"min_train_nodes": experiment.K, "min_available_nodes": experiment.K}
        FedAvg(fraction_train=1.0, fraction_evaluate=0.0, **everyone).start(
            grid=grid,
            initial_arrays=ArrayRecord({VECTOR: Sent(np.zeros(1))}),  # nobody reads it
            num_rounds=rounds,
            evaluate_fn=keep,
        )

    app = ServerApp()
    app.main()(main)
    return app


def means_on_flower(experiment: FederatedRun, *, rounds: int) -> list[Array]:
    """What the devices agreed on in each of the rounds, by Flower's simulation engine: one node per device."""
    os.environ.setdefault("FLWR_TELEMETRY_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    from flwr.simulation import run_simulation

    means: list[Array] = []
    run_simulation(
        server_app=server_app(experiment, rounds=rounds, means=means),
        client_app=client_app(experiment),
        num_supernodes=experiment.K,
        backend_config={"client_resources": {"num_cpus": 1, "num_gpus": 0.0}},
    )
    return means
