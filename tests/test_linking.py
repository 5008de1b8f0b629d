"""An entry point is compiled as one program with the kernels below it."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from llvmlite.binding import Linkage

from dojo_core.kernel import entry, kernel, plain_python

pytestmark = pytest.mark.skipif(plain_python(), reason="nothing is compiled")


@kernel
def doubled(number):
    return 2 * number


@kernel
def through_left(number):
    return doubled(number) + 1


@kernel
def through_right(number):
    return doubled(number) - 1


def product(number):
    return through_left(number) * through_right(number)


PROGRAM = """
from test_linking import doubled, entry, product
program = entry(product)
print(program(5), sum(program.stats.cache_hits.values()), len(doubled.overloads))
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Return the program compiled here: a cached one would bring no kernels to look at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numba.config, "CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        return entry(product)


def library_of(function):
    function_of = next(iter(function.overloads.values()))
    return function_of.library


def test_kernels_below_kernels_are_linked_into_the_program(program):
    assert program(5) == 11 * 9


def test_only_the_entry_point_of_a_program_can_be_called_from_outside(program):
    program(5)
    defined = [f for f in library_of(program)._final_module.functions if not f.is_declaration]
    kernels = [f for f in defined if f.linkage == Linkage.external and "product" not in f.name]
    assert defined
    assert not kernels


def test_no_machine_code_is_made_of_a_kernel_by_itself(program):
    program(5)
    assert library_of(doubled).get_pointer_to_function("any") == 0


def test_a_program_from_the_cache_compiles_no_kernel(tmp_path):
    environment = {
        **os.environ,
        "DOJO_CACHE": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(
            [os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")]
        ),
    }
    told = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for _ in range(2)
    ]
    assert told == [["99", "0", "1"], ["99", "1", "0"]]


def test_numbers_of_several_types_make_programs_of_their_own(program):
    assert program(np.int32(5)) == program(5.0) == 99
