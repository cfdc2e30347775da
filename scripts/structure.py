"""Measure how the code is built, so that a redesign can be compared with what was there before.

Run ``python scripts/structure.py`` for a Markdown table of this repository, ``--json`` for the same
and more as JSON, ``--verbose`` for the places behind the counts, and ``--root PATH`` for another
checkout. Files are read as text; code is run from ``PATH/src`` in a process of its own.

The figures, with their values before the GRBM was rebuilt around its mathematics:

modules entered (81)
    Modules of veracity in which a Python function ran, on any thread, during ``GRBM().fit`` of the
    shipped example. The same fit goes before, so imports, compilation and what is worked out once
    do not count. The 81 includes reading: ``fit(path)`` enters 82 by this count.
    ``fit(claims)``, with claims that were read and encoded before, enters 67, for it leaves out the
    layer of reading. A module of which only compiled kernels ran does not count; the note says how
    many there are.
frames from fit to kernel (20 in 13 files)
    Python frames on the stack, from the outermost ``fit`` to the caller of the kernel, both
    included, when the fit first calls the kernel that it calls most often: the pass over claims.
    Files are those of the frames and the kernel's own. Kernels that only count claims may be called
    earlier and from fewer frames. The deepest call of any kernel is a row of its own. Frames of
    list, dict and set comprehensions are left out, since Python 3.12 has none. The process is bound
    to one core, so that the fit keeps to one thread.
lines of the core (8,100)
    Lines of the files in `CORE`, in three groups. The 8,100 are those of the group "machine".
    Compare the total of all groups when code moves from one group to another. Code lines are all
    but blank ones, comments and docstrings.
fan-out (42)
    Distinct modules of veracity that a module imports. Imports inside functions, and those for type
    checkers only, are part of the total and are also counted by themselves. ``from package import
    name`` counts as ``package.name`` where that is a module, else as ``package``. A package's own
    ``__init__`` that imports nothing at run time does not count.
offsets into the parameter vector (34)
    Functions of the core that know where a parameter stands in a flat vector, the files they stand
    in, and the lines; see `offsets_in`. By this rule there were 45 functions, 34 of them in
    models/categorical.
duplicated runs
    Pairs of places under src that share `RUN` or more lines; see `duplicated_runs`.
files of models
    Modules of ``veracity.models``, their median and largest number of lines; modules of five lines
    or fewer are left out, as in the style guide.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import statistics
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

#: Files of the core below src/veracity, by group: first as they stand before the redesign, then as
#: after it. A pattern that matches nothing is no error, and a file counts in the first group that
#: has it, so that one list serves both layouts and any state between them.
CORE: dict[str, tuple[str, ...]] = {
    # What only the machine uses, wherever it stands below models.
    "helpers": (
        "models/**/dependence.py",
        "models/**/explained.py",
        "models/**/explanation.py",
        "models/**/guards.py",
        "models/**/rates_wanted.py",
    ),
    "streaming": (
        "models/stream/**/*.py",
        "data/history.py",
        "data/history_rows.py",
        "streaming/**/*.py",
    ),
    "machine": (
        "models/grbm.py",
        "models/binary_grbm.py",
        "models/rbm/**/*.py",
        "models/categorical/**/*.py",
        "models/grbm/**/*.py",
    ),
}

#: Names of flat vectors that hold a number for each parameter; underscores at the ends are ignored.
VECTORS = frozenset(
    {"x", "own", "psi", "vector", "parameters", "coefficients", "values", "shared"}
    | {"gradient", "delta", "ascent", "slope", "total_slope", "centre", "hold", "precision"}
)
#: The two shared parameters, or two of an attribute, and what comes next.
TWO_AND_MORE = re.compile(r"\b2 \+ .*?(n_sources|len\(|place)")
#: Sizes of parts of a parameter vector.
SIZES = re.compile(r"\.sizes\b|n_parameters|n_sources")

#: Lines that make a duplicated run.
RUN = 6
#: Modules of so few lines do not count among the files of models.
TINY = 5
#: Frames that Python has only before version 3.12.
COMPREHENSIONS = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>"})


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    figure: str
    value: int | float
    note: str = ""


# Reading a tree


@dataclass(frozen=True)
class Module:
    """A file of the tree."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def n_lines(self) -> int:
        """Number of lines, as `wc` counts them."""
        return self.text.count("\n")


def modules_of(root: Path) -> dict[str, Module]:
    """Return the modules of veracity in a checkout, by name."""
    src = root / "src"
    if not (src / "veracity").is_dir():
        raise SystemExit(f"{root} has no src/veracity. Name the folder of a checkout.")
    found = {}
    for path in sorted((src / "veracity").rglob("*.py")):
        name = ".".join(path.relative_to(src).with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text(encoding="utf-8")
        found[name] = Module(name, path, text, ast.parse(text))
    return found


def core_of(root: Path, modules: Iterable[Module]) -> dict[str, list[Module]]:
    """Return the modules of the core, by group."""
    left = {module.path: module for module in modules}
    return {
        group: [left.pop(path) for path in _matching(root, group) if path in left] for group in CORE
    }


def _matching(root: Path, group: str) -> list[Path]:
    """Return the files that the patterns of a group match."""
    return sorted({path for one in CORE[group] for path in (root / "src/veracity").glob(one)})


def docstring_lines(tree: ast.Module) -> set[int]:
    """Return the lines of docstrings."""
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, owners) and ast.get_docstring(node, clean=False) is not None:
            found |= _lines_of(node.body[0])
    return found


def code_lines(module: Module) -> set[int]:
    """Return the lines that hold code: no blank ones, comments or docstrings."""
    texts = enumerate(module.text.splitlines(), 1)
    held = {line for line, text in texts if text.strip() and not text.lstrip().startswith("#")}
    return held - docstring_lines(module.tree)


def _lines_of(node: ast.stmt | ast.expr) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


# Fan-out


def imports_of(module: Module, names: Iterable[str]) -> dict[str, set[str]]:
    """Return the modules that a module imports: when loaded, in functions, and for typing only."""
    known = set(names)
    found: dict[str, set[str]] = {"module": set(), "function": set(), "typing": set()}

    def visit(node: ast.AST, where: str) -> None:
        if isinstance(node, ast.ImportFrom):
            base = _absolute(module, node)
            full = (f"{base}.{alias.name}" for alias in node.names)
            found[where].update(name if name in known else base for name in full)
        elif isinstance(node, ast.Import):
            found[where].update(alias.name for alias in node.names)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            where = "function"
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            where = "typing"
        for child in ast.iter_child_nodes(node):
            visit(child, where)

    visit(module.tree, "module")
    return {where: (names & known) - {module.name} for where, names in found.items()}


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = module.name if module.path.name == "__init__.py" else module.name.rpartition(".")[0]
    parts = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


@dataclass(frozen=True)
class FanOut:
    """How many modules a module imports, and how many of them not when it is loaded."""

    module: str
    total: int
    in_functions: int
    for_typing: int


def fan_out(modules: dict[str, Module]) -> list[FanOut]:
    """Return the fan-out of all modules, the largest first."""
    found = []
    for name, module in modules.items():
        imports = imports_of(module, modules)
        late, typing = imports["function"], imports["typing"]
        if module.path.name == "__init__.py" and not imports["module"] | late:
            continue
        found.append(FanOut(name, len(set().union(*imports.values())), len(late), len(typing)))
    return sorted(found, key=lambda one: (-one.total, one.module))


# Offsets into the parameter vector


@dataclass(frozen=True)
class Offset:
    """A line that knows an offset into the parameters."""

    file: str
    function: str
    line: int
    rule: str
    text: str


def offsets_of(root: Path, modules: Iterable[Module]) -> list[Offset]:
    """Return the lines of machine and streams that know an offset into the parameters.

    Helpers count where they stand in a folder of these.
    """
    scope = {*_matching(root, "machine"), *_matching(root, "streaming")}
    found = []
    for module in modules:
        if module.path not in scope:
            continue
        rules = dict(sorted(offsets_in(module.tree)))
        lines, functions = module.text.splitlines(), _functions(module.tree)
        for line, rule in rules.items():
            within = [name for name, held in functions if line in held]
            file = module.path.relative_to(root / "src/veracity").as_posix()
            function = within[-1] if within else "<module>"
            found.append(Offset(file, function, line, rule, lines[line - 1].strip()))
    return found


def offsets_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the rule of every expression that knows an offset into the parameters.

    The rules are:

    slice
        A vector of `VECTORS`, or the result of a ``cut``, with an integer for an index or with a
        slice that has a bound: ``x[:2]``, ``own[2:]``, ``gradient[:k]``, ``objective.cut(x)[3:]``.
        An empty slice, ``x[:0]``, is none.
    split
        ``np.split`` and ``np.array_split`` of anything.
    sum
        ``np.cumsum`` of sizes, of numbers of parameters, or of a list that is written out.
    count
        Two parameters and what comes next: ``2 + n_sources``, ``2 + place``, ``2 + len(sources)``.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and _is_vector(node.value) and _is_offset(node.slice):
            yield node.lineno, "slice"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("split", "array_split") and _of_numpy(node.func):
                yield node.lineno, "split"
            elif node.func.attr == "cumsum" and _adds_sizes(node):
                yield node.lineno, "sum"
        elif (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add)
            and TWO_AND_MORE.search(ast.unparse(node))
        ):
            yield node.lineno, "count"


def _functions(tree: ast.Module) -> list[tuple[str, range]]:
    """Return the qualified names of functions and their lines; inner functions belong to outer."""
    found: list[tuple[str, range]] = []

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                held = range(child.lineno, (child.end_lineno or child.lineno) + 1)
                found.append((prefix + child.name, held))
            else:
                inside = f"{prefix}{child.name}." if isinstance(child, ast.ClassDef) else prefix
                visit(child, inside)

    visit(tree, "")
    return found


def _is_vector(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr.strip("_") == "cut"
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    return name.strip("_") in VECTORS


def _is_offset(index: ast.expr) -> bool:
    if isinstance(index, ast.Slice):
        if index.lower is None and isinstance(index.upper, ast.Constant):
            return index.upper.value != 0
        return index.lower is not None or index.upper is not None
    if isinstance(index, ast.UnaryOp):
        index = index.operand
    return isinstance(index, ast.Constant) and isinstance(index.value, int)


def _of_numpy(function: ast.Attribute) -> bool:
    return isinstance(function.value, ast.Name) and function.value.id in ("np", "numpy")


def _adds_sizes(call: ast.Call) -> bool:
    written = bool(call.args) and isinstance(call.args[0], (ast.List, ast.Tuple))
    return written or bool(SIZES.search(ast.unparse(call)))


# Duplicated runs


@dataclass(frozen=True)
class Duplicate:
    """Lines that stand in two places: their number, and the file and first line of each place."""

    length: int
    one: str
    other: str


def duplicated_runs(modules: Iterable[Module], root: Path) -> list[Duplicate]:
    """Return the pairs of places that share `RUN` or more lines, the longest first.

    Blank lines, comments, docstrings and imports are left out, and white space is evened; what is
    left must be equal to the letter. A run is as long as it can be, lies within one file, and does
    not overlap itself. What stands in three places makes three pairs.
    """
    lines = [line for module in modules for line in _plain_lines(module, root)]
    texts = [text for _, _, text in lines]
    places = defaultdict[tuple[str, ...], list[int]](list)
    for start in range(len(lines) - RUN + 1):
        if lines[start][0] == lines[start + RUN - 1][0]:
            places[tuple(texts[start : start + RUN])].append(start)

    def same(one: int, other: int) -> bool:
        """Whether two lines are equal."""
        return other < len(texts) and texts[one] == texts[other]

    def at(place: int) -> str:
        return f"{lines[place][0]}:{lines[place][1]}"

    found = []
    for starts in places.values():
        for number, other in enumerate(starts):
            for one in starts[:number]:
                files = lines[one][0], lines[other][0]
                before = one > 0 and (lines[one - 1][0], lines[other - 1][0]) == files
                if before and same(one - 1, other - 1):
                    continue  # a longer run begins earlier
                length = RUN
                while (
                    same(one + length, other + length)
                    and (lines[one + length][0], lines[other + length][0]) == files
                    and one + length < other
                ):
                    length += 1
                if one + length <= other:
                    found.append(Duplicate(length, at(one), at(other)))
    return sorted(found, key=lambda run: (-run.length, run.one, run.other))


def _plain_lines(module: Module, root: Path) -> list[tuple[str, int, str]]:
    """Return the file, number and evened text of each line of code that is no import."""
    imports: set[int] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports |= _lines_of(node)
    file = module.path.relative_to(root).as_posix()
    texts = module.text.splitlines()
    kept = sorted(code_lines(module) - imports)
    return [(file, line, " ".join(texts[line - 1].split())) for line in kept]


# Running a fit


def trace_fit(root: Path) -> dict[str, Any]:
    """Return what `_trace` finds in a fresh process that imports from ``root/src``."""
    src = root / "src"
    run = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), "--root", str(root), "--trace"],
        env=os.environ | {"PYTHONPATH": str(src), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def _trace(root: Path) -> dict[str, Any]:
    """Fit the default model to the example, and record the modules entered and the kernels called.

    It uses only what is public: ``GRBM().fit``, ``Claims.read``, ``claims.matrix`` and the example.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import veracity
    from veracity import GRBM, Claims
    from veracity.datasets import example

    package = Path(veracity.__file__).resolve().parent
    if package != (root / "src/veracity").resolve():
        raise SystemExit(f"Python imports veracity from {package}, not from {root}.")
    path = example.path()
    claims = Claims.read(path)
    claims.matrix  # noqa: B018  encodes the claims
    GRBM().fit(path)
    GRBM().fit(claims)
    path_modules, _ = _watch(lambda: GRBM().fit(path))
    claims_modules, calls = _watch(lambda: GRBM().fit(claims))
    stacks = [call for call in calls if call.frames]
    often = Counter(call.kernel for call in stacks)
    most = max(often.values())
    first = next(call for call in stacks if often[call.kernel] == most)
    deepest = max(stacks, key=lambda call: len(call.frames))
    return {
        "modules_with_reading": sorted(path_modules),
        "modules": sorted(claims_modules),
        "kernel_only_modules": sorted({call.module for call in calls} - claims_modules),
        "first_pass": first.described(package),
        "deepest_kernel": deepest.described(package),
    }


@dataclass(frozen=True)
class KernelCall:
    """A call of a compiled function from Python, and the frames from `fit` to it."""

    kernel: str
    module: str
    file: str
    frames: tuple[CodeType, ...]

    def described(self, package: Path) -> dict[str, Any]:
        """Return the kernel, the frames, and the files that they and the kernel stand in."""

        def within(file: str) -> str:
            return file.removeprefix(f"{package}{os.sep}")

        files = [code.co_filename for code in self.frames] + [self.file]
        return {
            "kernel": self.kernel,
            "frames": [f"{within(code.co_filename)}: {code.co_qualname}" for code in self.frames],
            "files": sorted({within(file) for file in files}),
        }


def _watch(run: Callable[[], object]) -> tuple[set[str], list[KernelCall]]:
    """Run something; return the modules of veracity that it enters, and its calls of kernels."""
    import numba.core.dispatcher

    dispatcher: Any = numba.core.dispatcher.Dispatcher
    modules: set[str] = set()
    calls: list[KernelCall] = []
    plain_call = dispatcher.__call__

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            name = str(frame.f_globals.get("__name__", ""))
            if name.split(".")[0] == "veracity":
                modules.add(name)

    def call(self: Any, *args: Any, **options: Any) -> Any:
        function = self.py_func
        module, code = str(function.__module__), function.__code__
        if module.split(".")[0] == "veracity":
            kernel = f"{module}.{function.__name__}"
            calls.append(KernelCall(kernel, module, code.co_filename, _frames_from_fit()))
        return plain_call(self, *args, **options)

    dispatcher.__call__ = call
    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        del dispatcher.__call__
    return modules, calls


def _frames_from_fit() -> tuple[CodeType, ...]:
    """Return the code of the frames from the outermost `fit` to whoever calls a kernel."""
    frames: list[CodeType] = []
    found: list[CodeType] = []
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if code.co_name not in COMPREHENSIONS:
            frames.append(code)
        name = str(frame.f_globals.get("__name__", ""))
        if code.co_name == "fit" and name.split(".")[0] == "veracity":
            found = frames.copy()
        frame = frame.f_back
    return tuple(reversed(found))


# The table


@dataclass(frozen=True)
class Structure:
    """All figures, and the places behind them."""

    rows: list[Row]
    details: dict[str, Any]


def measure(root: Path) -> Structure:
    """Measure a checkout."""
    modules = modules_of(root)
    core = core_of(root, modules.values())
    traced = trace_fit(root)
    fans = fan_out(modules)[:5]
    offsets = offsets_of(root, modules.values())
    runs = duplicated_runs(modules.values(), root)
    rows = [
        *_rows_of_fit(traced),
        *_rows_of_core(core),
        *_rows_of_fans(fans),
        *_rows_of_offsets(offsets),
        Row("duplicated runs", len(runs), f"of {RUN} lines or more, {_total(runs)} lines in all"),
        *_rows_of_models(modules, root),
    ]
    details = {
        "fit": traced,
        "core": {group: [module.name for module in held] for group, held in core.items()},
        "fan_out": [asdict(fan) for fan in fans],
        "offsets": [asdict(offset) for offset in offsets],
        "duplicated_runs": [asdict(run) for run in runs],
    }
    return Structure(rows, details)


def _rows_of_fit(traced: dict[str, Any]) -> list[Row]:
    first, deepest = traced["first_pass"], traced["deepest_kernel"]
    only = len(traced["kernel_only_modules"])
    return [
        Row(
            "modules entered by GRBM().fit(path)",
            len(traced["modules_with_reading"]),
            "reading and encoding included",
        ),
        Row(
            "modules entered by GRBM().fit(claims)",
            len(traced["modules"]),
            f"claims read and encoded before; {only} more by kernels alone",
        ),
        Row("frames from fit to kernel", len(first["frames"]), f"`{_short(first['kernel'])}`"),
        Row("files from fit to kernel", len(first["files"]), "the kernel's own included"),
        Row("frames, deepest kernel", len(deepest["frames"]), f"`{_short(deepest['kernel'])}`"),
    ]


def _rows_of_core(core: dict[str, list[Module]]) -> list[Row]:
    lines = {group: sum(module.n_lines for module in held) for group, held in core.items()}
    code = {group: sum(len(code_lines(module)) for module in held) for group, held in core.items()}
    n_files = sum(len(held) for held in core.values())
    rows = [
        Row("lines of the core", sum(lines.values()), f"{n_files} files"),
        Row("code lines of the core", sum(code.values()), "no blanks, comments, docstrings"),
    ]
    for group in reversed(CORE):
        note = f"{len(core[group])} files, {code[group]:,} code lines"
        rows.append(Row(f"lines of the core: {group}", lines[group], note))
    return rows


def _rows_of_fans(fans: Sequence[FanOut]) -> list[Row]:
    largest = fans[0]
    top = ", ".join(f"{_short(fan.module)} {fan.total}" for fan in fans)
    return [
        Row("largest fan-out of a module", largest.total, top),
        Row("of it, imports inside functions", largest.in_functions, f"`{_short(largest.module)}`"),
    ]


def _rows_of_offsets(offsets: Sequence[Offset]) -> list[Row]:
    functions = {(offset.file, offset.function) for offset in offsets}
    files = Counter(offset.file for offset in offsets)
    most = ", ".join(f"{file} {count}" for file, count in files.most_common(3))
    return [
        Row("functions that know an offset into the parameters", len(functions)),
        Row("files that know an offset", len(files)),
        Row("lines that know an offset", len(offsets), most),
    ]


def _rows_of_models(modules: dict[str, Module], root: Path) -> list[Row]:
    folder = root / "src/veracity/models"
    sizes = {
        module.path.relative_to(folder).as_posix(): module.n_lines
        for module in modules.values()
        if module.path.is_relative_to(folder) and module.n_lines > TINY
    }
    largest = max(sizes, key=sizes.__getitem__)
    return [
        Row("modules of models", len(sizes), f"of more than {TINY} lines"),
        Row("median lines of a module of models", statistics.median(sizes.values())),
        Row("most lines of a module of models", sizes[largest], largest),
    ]


def _total(runs: Iterable[Duplicate]) -> int:
    return sum(run.length for run in runs)


def _short(name: str) -> str:
    return name.removeprefix("veracity.").removeprefix("models.")


def markdown(rows: Iterable[Row]) -> str:
    """Return the table."""
    lines = ["| figure | value | note |", "|---|--:|---|"]
    lines += [f"| {row.figure} | {row.value:,} | {row.note} |" for row in rows]
    return "\n".join(lines) + "\n"


def places(found: Structure) -> str:
    """Return the places behind the counts, a line each."""
    details = found.details
    text = ["", "Frames from fit to kernel:", *details["fit"]["first_pass"]["frames"]]
    text += ["", "Modules entered by GRBM().fit(claims):", *details["fit"]["modules"]]
    text += ["", "Offsets into the parameters:"]
    text += [
        f"{one['file']}:{one['line']} {one['function']} ({one['rule']}): {one['text']}"
        for one in details["offsets"]
    ]
    text += ["", "Duplicated runs:"]
    text += [f"{one['length']} {one['one']} {one['other']}" for one in details["duplicated_runs"]]
    return "\n".join(text) + "\n"


def main() -> None:
    """Print the figures of a checkout."""
    parser = argparse.ArgumentParser(description="Measure how the code is built.")
    parser.add_argument("--root", type=Path, default=ROOT, help="a checkout; default: this one")
    parser.add_argument("--json", action="store_true", help="print JSON, with places and modules")
    parser.add_argument("--verbose", action="store_true", help="list the places behind the counts")
    parser.add_argument("--trace", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    root = options.root.resolve()
    if options.trace:
        sys.stdout.write(json.dumps(_trace(root)))
        return
    found = measure(root)
    if options.json:
        sys.stdout.write(json.dumps(asdict(found), indent=2) + "\n")
        return
    sys.stdout.write(markdown(found.rows))
    if options.verbose:
        sys.stdout.write(places(found))


if __name__ == "__main__":
    main()
