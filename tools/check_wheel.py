"""Build a wheel and run the tests of the library with it where there is no compiler.

Usage::

    python tools/check_wheel.py [--python PYTHON] [--oldest] [--only-build] [--out DIR] [-- ARGS]

The wheel is built by pip in isolation. On Linux auditwheel then gives it the oldest manylinux tag
that its symbols allow, and refuses it where it would need a library of this machine. The tests run
in a new environment that has wheels only, nothing built from source, and whose ``PATH`` leads to no
compiler. With ``--oldest`` it has the oldest versions of the runtime dependencies that
``pyproject.toml`` admits and that have wheels for this Python, otherwise the newest.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPILERS = ("cc", "gcc", "clang", "c99", "cython", "meson", "ninja")


def run(command: list[str], **settings: object) -> None:
    """Run a command, show it first, and stop the script where it fails."""
    print("+", *command, flush=True)
    answer = subprocess.run(command, **settings)  # type: ignore[call-overload]
    if answer.returncode:
        raise SystemExit(answer.returncode)


def build(python: str, out: Path) -> Path:
    """Build a wheel with one Python; return the file, with a portable tag on Linux."""
    raw = out / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    run([python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(raw), str(ROOT)])
    (wheel,) = raw.glob("*.whl")
    if not sys.platform.startswith("linux"):
        return wheel
    repaired = out / "repaired"
    shutil.rmtree(repaired, ignore_errors=True)
    run(["auditwheel", "repair", "--wheel-dir", str(repaired), str(wheel)])
    (portable,) = repaired.glob("*manylinux*.whl")
    return portable


def oldest_versions(python: str, out: Path) -> Path:
    """Write the oldest runtime dependencies that are admitted and have wheels; return the file."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked, found = out / "asked.txt", out / "oldest.txt"
    requirements = list(settings["project"]["dependencies"])
    # The newest PyArrow does not load with an old NumPy, and does not say so in its requirements.
    parquet = settings["project"]["optional-dependencies"]["parquet"]
    requirements += [line for line in parquet if line.startswith("pyarrow")]
    asked.write_text("\n".join(requirements), encoding="utf-8")
    command = ["uv", "pip", "compile", "--quiet", "--python", python, "--only-binary", ":all:"]
    run([*command, "--resolution", "lowest-direct", "--output-file", str(found), str(asked)])
    return found


def bare_environment(python: str, wheel: Path, constraints: Path | None, out: Path) -> Path:
    """Make an environment with the wheel and what its tests need; return its folder."""
    environment = out / "environment"
    shutil.rmtree(environment, ignore_errors=True)
    run(["uv", "venv", "--quiet", "--python", python, str(environment)])
    inside = environment_program(environment, "python")
    command = ["uv", "pip", "install", "--quiet", "--python", inside, "--only-binary", ":all:"]
    if constraints is not None:
        command += ["--constraints", str(constraints)]
    run([*command, f"weightpath[test] @ {wheel.as_uri()}"])
    return environment


def environment_program(environment: Path, name: str) -> str:
    """Return the path of a program of an environment."""
    folder = "Scripts" if os.name == "nt" else "bin"
    return str(environment / folder / name)


def test(environment: Path, arguments: list[str]) -> None:
    """Run the tests where neither a compiler nor a build tool can be found."""
    path = str(Path(environment_program(environment, "python")).parent)
    for name in COMPILERS:
        if shutil.which(name, path=path):
            raise SystemExit(f"The environment has {name}: it is not bare.")
    bare = {"PATH": path, "HOME": str(Path.home()), "LANG": "C.UTF-8"}
    bare |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    bare |= {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ}
    inside = environment_program(environment, "python")
    run([inside, "-c", VERSIONS], env=bare)
    command = [inside, "-m", "pytest", "-c", "pyproject.toml", "-q", "-n", "2", "--dist=worksteal"]
    run([*command, *(arguments or ["tests"])], env=bare, cwd=ROOT)


VERSIONS = (
    "import sys, joblib, numpy, scipy, sklearn, threadpoolctl, weightpath;"
    "print(sys.version.split()[0], *(f'{m.__name__}=={m.__version__}'"
    " for m in (numpy, scipy, sklearn, joblib, threadpoolctl, weightpath)))"
)


def main() -> None:
    """Read the command line, build, and test."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=sys.executable, help="Python to build and test with")
    parser.add_argument("--oldest", action="store_true", help="take the oldest dependencies")
    parser.add_argument("--only-build", action="store_true", help="stop when the wheel is there")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "wheel", help="folder")
    parser.add_argument("arguments", nargs="*", help="arguments of pytest")
    options = parser.parse_args()
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    wheel = build(options.python, options.out)
    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes", flush=True)
    if options.only_build:
        return
    constraints = oldest_versions(options.python, options.out) if options.oldest else None
    test(bare_environment(options.python, wheel, constraints, options.out), options.arguments)


if __name__ == "__main__":
    main()
