"""The rooms of the project: who may import whom, and what may stand in the repository."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from dojo_core.games import GAMES
from dojo_core.kernel import NOT_ENGINE

ROOT = Path(__file__).parent.parent
PACKAGES = ("dojo_core", "sweep", "dashboard")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
TRACKED = subprocess.run(
    ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
).stdout.split("\0")[:-1]
# What the modules of a package may never import, lazily or not.
FORBIDDEN = {
    "dojo_core": {
        "ray",
        "pyarrow",
        "duckdb",
        "streamlit",
        "plotly",
        "pandas",
        "sweep",
        "dashboard",
    },
    "sweep": {"streamlit", "dashboard"},
    "dashboard": {"ray"},
}


def name(path):
    return path.relative_to(ROOT).as_posix()


def imports(path):
    """Return the full dotted names of all that a module imports, anywhere in it."""
    found = set()
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
        elif (
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", getattr(node.func, "id", "")) == "import_module"
            and isinstance(node.args[0], ast.Constant)
        ):
            found.add(node.args[0].value)
    return found


def roots(path):
    return {dotted.split(".")[0] for dotted in imports(path)}


def test_there_are_modules_to_look_at():
    assert {path.relative_to(ROOT).parts[0] for path in MODULES} == set(PACKAGES)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_imports_run_one_way(path):
    assert not roots(path) & FORBIDDEN[path.relative_to(ROOT).parts[0]]


def test_one_file_of_the_sweep_imports_ray():
    assert len([name(p) for p in MODULES if "ray" in roots(p)]) == 1


@pytest.mark.parametrize("path", [p for p in MODULES if p.parts[-3] == "dojo_core"], ids=name)
def test_a_game_imports_no_other_game(path):
    others = {module for module in GAMES.values() if module != f"dojo_core.{path.parent.name}"}
    assert not {dotted for dotted in imports(path) if any(dotted.startswith(o) for o in others)}


@pytest.mark.parametrize("package", ["sweep", "dashboard"])
def test_the_sweep_and_the_dashboard_know_no_game_by_its_module(package):
    known = {
        name(path)
        for path in (ROOT / package).rglob("*.py")
        if any(dotted.startswith(tuple(GAMES.values())) for dotted in imports(path))
    }
    assert {file for file in known if not re.search(r"views_\w+\.py$", file)} == set()


def decorators(path):
    """Return the names of all decorators of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [d for node in ast.walk(tree) for d in getattr(node, "decorator_list", [])]
    calls = [d.func if isinstance(d, ast.Call) else d for d in found]
    return {getattr(d, "attr", getattr(d, "id", "")) for d in calls}


@pytest.mark.parametrize("path", [p for p in MODULES if p.name in NOT_ENGINE], ids=name)
def test_a_file_that_the_engine_hash_leaves_out_holds_no_kernel(path):
    compiling = {"entry", "kernel", "inlined", "njit", "jit", "guvectorize", "vectorize"}
    assert not decorators(path) & compiling


def test_the_kernels_are_where_the_engine_hash_looks():
    assert any("kernel" in decorators(path) for path in MODULES)


def test_no_folder_is_named_pages():
    assert not [path for path in TRACKED if "pages" in Path(path).parts[:-1]]


def test_data_folders_hold_no_package():
    data = ("board", "cluster", "tests", "results")
    packages = [p for p in TRACKED if p.endswith("__init__.py") and Path(p).parts[0] in data]
    assert not packages


def test_test_files_lie_flat_under_unique_names():
    tests = [Path(path) for path in TRACKED if re.fullmatch(r"(.*/)?test_\w+\.py", path)]
    assert {path.parent.as_posix() for path in tests} == {"tests"}
    assert len({path.name for path in tests}) == len(tests)


def test_the_lock_file_is_not_tracked():
    assert not [path for path in TRACKED if Path(path).name in ("uv.lock", "poetry.lock")]


def test_results_are_not_tracked():
    assert [path for path in TRACKED if path.startswith("results/")] == ["results/.gitignore"]


def test_no_tracked_file_holds_the_address_of_a_package_registry():
    address = re.compile(
        rb"https?://[^\s\"'<>]*(?:pypi|pythonhosted|/simple\b|artifactory|nexus)"
        rb"|(?:extra-)?index-url\s*[=:]"
    )
    holding = [
        path
        for path in TRACKED
        if (ROOT / path).is_file() and address.search((ROOT / path).read_bytes())
    ]
    assert not holding
