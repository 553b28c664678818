"""Tests marked `untraced` run without coverage's tracing, which makes tight loops up to four times slower.

They are long computations whose lines other tests run as well. So are the twins of claims, which substitute something
wrong and run what the test of the claim itself runs. Values of claims that nobody has changed are kept for the session.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from oracles.kept_pieces import KEPT
from oracles.tracing import paused_tracing

CLAIMS = ("test_claims_", "test_communication_period")


@pytest.fixture(autouse=True)
def _untraced(request: pytest.FixtureRequest) -> Iterator[None]:
    untraced = request.node.get_closest_marker("untraced") or _is_twin(request)
    with paused_tracing() if untraced else nullcontext():
        yield


@pytest.fixture(autouse=True, scope="session")
def _kept_pieces(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    """One folder for all workers, whose own folders lie in the session's; none where coverage counts lines."""
    own = tmp_path_factory.getbasetemp()
    session = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    if not request.config.getoption("cov_source", None):
        KEPT.folder = session / "kept_pieces"
        KEPT.folder.mkdir(exist_ok=True)


@pytest.fixture(autouse=True)
def _forgotten_modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a test imports from a folder of its own is no module that the next one finds."""
    before, path, folder = set(sys.modules), sys.path[:], str(tmp_path_factory.getbasetemp())
    yield
    sys.path[:] = path
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(folder):
            del sys.modules[name]


def _is_twin(request: pytest.FixtureRequest) -> bool:
    about_claims = request.path.name.startswith(CLAIMS)
    return about_claims and "monkeypatch" in request.fixturenames


LONG = frozenset(  # files of which every change would wait too long; they run at night
    {
        "test_benchmarks.py",
        "test_by_data.py",
        "test_changing_steps.py",
        "test_claims_theorems.py",
        "test_closed_forms.py",
        "test_conformance.py",
        "test_enumeration.py",
        "test_expect_precision.py",
        "test_expect_schedules.py",
        "test_expect_witness.py",
        "test_falsify.py",
        "test_falsify_constants.py",
        "test_fast_engine.py",
        "test_fast_one_level.py",
        "test_fast_tracing.py",
        "test_federated.py",
        "test_guides.py",
        "test_long_runs.py",
        "test_pep.py",
        "test_reach.py",
        "test_stochastic.py",
        "test_twins.py",
    }
)


LONG_ONES = (  # the same for single tests, by their names or by how these begin
    "test_answer.py::test_the_exported_python_of_every_preset_computes_its_point",
    "test_ascent.py::test_short_strides_need_few_worlds_beside_a_ridge",
    "test_claims_derived.py::test_verdict_is_the_expected_one[remark-2.exponents]",
    "test_claims_derived.py::test_verdict_is_the_expected_one[table-1.exponents]",
    "test_costs.py::test_numba_itself_writes_that_name",
    "test_device_polynomials.py::test_congruences_flow_as_maps_of_packed_moments_do[vrm]",
    "test_device_polynomials.py::test_steps_in_a_row_that_are_walked_are_those_that_are_doubled[E-bsgm]",
    "test_device_polynomials.py::test_steps_in_a_row_that_are_walked_are_those_that_are_doubled[E-vrm]",
    "test_draws.py::test_doubling_and_stepping_agree[a coin in the plane]",
    "test_draws.py::test_doubling_and_stepping_agree[a coin, devices differ]",
    "test_draws.py::test_doubling_and_stepping_agree[lists of moves, devices differ]",
    "test_draws.py::test_slowly_varying_steps_are_stepped_through[drawn devices]",
    "test_draws.py::test_the_limit_is_where_long_runs_end[a coin, devices differ]",
    "test_expect_enumeration.py::test_expect_chooses_among_them_and_says_so[BSGM-fresh",
    "test_expect_enumeration.py::test_expect_chooses_among_them_and_says_so[BSGVRM-carry",
    "test_expect_enumeration.py::test_slowly_varying_steps_are_stepped_through[BSGVRM-carry",
    "test_expect_rounding.py::test_ten_digits_of_variance_reduction_on_devices_that_differ",
    "test_face.py::test_a_users_script_is_checked",
    "test_face.py::test_the_examples_of_docstrings_run[sharpen]",
    "test_finite_sums.py::test_an_epoch_of_svrg_contracts_as_its_theorem_says[1",
    "test_finite_sums.py::test_an_epoch_of_svrg_contracts_as_its_theorem_says[2",
    "test_finite_sums.py::test_an_epoch_of_svrg_contracts_as_its_theorem_says[3",
    "test_honest_doubles.py::test_a_stated_error_is_larger_than_the_error[1]",
    "test_honest_doubles.py::test_on_one_level_too",
    "test_lasting_cycle.py::test_sixteen_devices_of_fednest_at_any_length",
    "test_monte_carlo.py::test_memory_does_not_grow_with_the_times_that_are_read[numba]",
    "test_more_measures.py::test_an_epoch_of_svrg_contracts[20]",
    "test_more_measures.py::test_an_epoch_of_svrg_contracts[3]",
    "test_nearest.py::test_a_start_that_attains_the_bound_is_told",
    "test_nearest.py::test_a_world_at_the_end_of_the_search_is_called_so",
    "test_nearest.py::test_counts_that_nothing_bounds_are_tried_large",
    "test_nearest.py::test_what_is_approached_in_long_runs_is_not_attained",
    "test_one_level_methods.py::test_every_method_conforms[FISTA-divergence_is_a_refusal]",
    "test_one_level_methods.py::test_every_method_conforms[Halpern-divergence_is_a_refusal]",
    "test_one_level_methods.py::test_every_method_conforms[ITEM-divergence_is_a_refusal]",
    "test_outside.py::test_a_witness_is_written_and_checked",
    "test_outside.py::test_heavy_ball_is_sound_with_the_factor_that_was_lost",
    "test_outside.py::test_runs_outside_a_window_do_not_count",
    "test_outside.py::test_the_page_shows_what_is_printed_of_heavy_ball",
    "test_packages.py::test_its_parts_are_imported_under_one_name",
    "test_pages.py::test_every_python_block_runs[worlds/huberised.md]",
    "test_pytest_plugin_installed.py::",
    "test_rates.py::test_intervals_cover_as_often_as_they_say",
    "test_rates.py::test_the_page_runs_and_prints_what_it_shows",
    "test_register.py::test_a_cell_that_is_run_again_replaces_it",
    "test_running.py::test_running_averages_are_those_of_shorter_runs[line-solver1",
    "test_sharpen.py::test_the_figure_is_a_worst_case_at_every_value",
    "test_store.py::test_a_run_that_is_killed_again_and_again_ends_like_an_undisturbed_one",
    "test_testing.py::test_the_example_of_testing_md_runs",
    "test_watched_runs.py::test_the_bar_names_the_claim_and_the_count",
)
WHOLE = 5000  # tests, of which there are more when all are collected


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """By day files that run at night, or in a browser, are not even imported, unless they are asked for by name."""
    asked = any(collection_path.name in argument for argument in config.args)
    by_day = "not nightly" in config.option.markexpr
    return True if by_day and not asked and collection_path.name in {*LONG, "browser"} else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = set(LONG_ONES)
    for item in items:
        own = [name for name in LONG_ONES if f"{item.path.name}::{item.name}".startswith(name)]
        missing.difference_update(own)
        if own or item.path.name in LONG:
            item.add_marker(pytest.mark.nightly)
    if missing and len(items) > WHOLE:
        raise pytest.UsageError(f"tests/conftest.py: no test is called {', '.join(sorted(missing))}.")
