"""The engine's name follows the sources that decide plays, and compiled code follows the engine."""

import os
import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest
from numba.core.errors import NumbaError

from dojo_core import kernel

GAME = "labirinto"


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """Return a copy of the package whose engine is hashed in place of the real one."""
    package = tmp_path / "dojo_core"
    shutil.copytree(kernel.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(kernel, "PACKAGE", package)
    return package


def engine_hash():
    return kernel.engine_hash.__wrapped__(GAME)


def edit(path):
    path.write_text(path.read_text() + "\n# another rule\n")


def folder_of(**environment):
    """Return the folder of compiled code that a new process with these variables would use."""
    program = "import numba, dojo_core.kernel; print(numba.config.CACHE_DIR)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_engine_hash_is_16_hex_digits():
    name = kernel.engine_hash(GAME)
    assert len(name) == 16
    assert int(name, 16) >= 0


def test_engine_hash_of_a_copy_is_the_same(copied):
    assert engine_hash() == kernel.engine_hash(GAME)


@pytest.mark.parametrize("file", ["labirinto/rules.py", "labirinto/greedy.py", "kernel.py"])
def test_engine_hash_follows_an_edit_of_a_rule(copied, file):
    before = engine_hash()
    edit(copied / file)
    assert engine_hash() != before


@pytest.mark.parametrize("file", sorted(kernel.NOT_ENGINE))
def test_engine_hash_stays_when_a_file_that_decides_no_play_is_edited(copied, file):
    before = engine_hash()
    edit(next(copied.rglob(file)))
    assert engine_hash() == before


def test_engine_hash_of_a_game_stays_when_another_game_is_edited(copied):
    before = engine_hash()
    (copied / "another_game").mkdir()
    (copied / "another_game" / "rules.py").write_text("rule = 1\n")
    assert engine_hash() == before


def test_folder_of_compiled_code_follows_an_edit_of_any_rule(copied):
    before = kernel._cache_folder()
    edit(copied / "random_numbers.py")
    assert kernel._cache_folder() != before


def test_folder_of_compiled_code_stays_when_a_file_that_decides_no_play_is_edited(copied):
    before = kernel._cache_folder()
    edit(copied / "cli.py")
    assert kernel._cache_folder() == before


def test_folder_of_compiled_code_is_where_the_user_says(tmp_path):
    assert folder_of(DOJO_CACHE=str(tmp_path)).startswith(str(tmp_path / "kernels-"))


def test_code_compiled_with_bounds_checks_is_kept_apart():
    plain, checked = folder_of(NUMBA_BOUNDSCHECK="0"), folder_of(NUMBA_BOUNDSCHECK="1")
    assert plain != checked


def test_kernels_run_as_plain_python_when_compiling_is_switched_off():
    program = (
        "from dojo_core import kernel, random_numbers as r; import numpy as np\n"
        "print(kernel.plain_python(), r.below(np.uint64(1 << 63), 6), type(r.below).__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True", "3", "function"]


@kernel.entry
def mixed_sum(word, number):
    return kernel.whole(word) + number


def test_whole_keeps_unsigned_and_signed_numbers_whole():
    found = mixed_sum(np.uint64(2), np.int64(-5))
    assert found == -3
    assert isinstance(found, int | np.int64)


def test_words_wrap_silently_where_they_are_meant_to():
    with warnings.catch_warnings(), kernel.wrapping_arithmetic():
        warnings.simplefilter("error")
        assert np.uint64((1 << 64) - 1) + np.uint64(2) == 1


@kernel.kernel
def allocating(size):
    return np.zeros(size).sum()


@kernel.entry
def calling(size):
    return allocating(size)


@pytest.mark.skipif(kernel.plain_python(), reason="nothing is compiled")
def test_a_kernel_that_allocates_is_refused():
    with pytest.raises(NumbaError, match="zeros"):
        calling(3)
