"""The bias of the Neumann sum: closed form, floor of the measure, and how many terms are enough."""
