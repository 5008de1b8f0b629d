"""Compiling the rules as one program: what Numba would optimise again and again, once.

Numba optimises every function together with all that it calls and makes machine code of it, before
it does the same for its callers. A rule deep down goes through that once for each of its callers'
callers. Kernels that only other kernels call need none of it: here they stay as they were lowered
until an entry point links all of them, as functions of its own. The compiler then sees the whole
game, hands on what is used of an argument and nothing else, and drops what is merged into its only
caller.

This builds on parts of Numba that it does not promise to keep, so `pyproject.toml` allows one
of its minor versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary
from numba.core.compiler import Compiler


class PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel that only compiled code calls: kept for its callers to link."""

    def finalize(self) -> None:
        """Keep the code as it was lowered."""
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no machine code to point to."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """What Numba asks to place the function's environment, see `set_env`."""
        return self

    def set_env(self, name: str, env: Any) -> None:
        """Leave the environment out: only code that makes Python objects reads it."""


class ProgramLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of an entry point and of every kernel below it, compiled as one program."""

    def finalize(self) -> None:
        """Link, optimise and compile."""
        self._raise_if_finalized()
        module = self._final_module
        for library in _below(self):
            self._reload_init.update(library._reload_init)
            module.link_in(library._get_module_for_linking(), preserve=True)
        for function in module.functions:
            if function.linkage == llvm.Linkage.linkonce_odr:
                function.linkage = llvm.Linkage.internal
        self._optimize_final_module()
        module.verify()
        self._finalize_final_module()


def _below(library: CPUCodeLibrary) -> Iterator[CPUCodeLibrary]:
    """Return every library that a library links, directly or not, each once."""
    seen = set()
    waiting = list(library._linking_libraries)
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        if isinstance(part, PartLibrary):
            waiting.extend(part._linking_libraries)
        yield part


class _LibraryCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler, writing into a library of the kind that a subclass names."""

    library_class: type[JITCodeLibrary]

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """Compile a Python function."""
        library = self.library_class(self.state.targetctx.codegen(), function.__qualname__)
        library.enable_object_caching()
        self.state.library = library
        return super().compile_extra(function)


class PartCompiler(_LibraryCompiler):
    """For kernels."""

    library_class = PartLibrary


class ProgramCompiler(_LibraryCompiler):
    """For entry points."""

    library_class = ProgramLibrary
