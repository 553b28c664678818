"""Devices as real processes: the algorithms of solvers/ with one process per device, held against the simulator."""
