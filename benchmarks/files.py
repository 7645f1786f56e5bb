"""Model files: `python -m benchmarks.files`.

How large a file is and how long saving and loading take, beside pickle; and what becomes of files
that were changed in every way one can think of. Bytes changed without a new checksum must be
refused every time. Edits of the header, of the arrays or of their sizes that are signed anew are
other files, not damaged ones: they must be refused, or be models that can be used.
"""

from __future__ import annotations

import argparse
import json
import pickle
import resource
import struct
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import okpca
from okpca import KernelNoveltyDetector, OnlineKernelPCA
from okpca.io import container

Rng = np.random.Generator
HOSTILE: list[Any] = [
    *(None, True, False, "", "x", "__class__", "inf", [], {}, [[]], 0, 1, -1, 0.5, -0.5, 1e308),
    *(10**6, 10**9, 2**31, 2**63, -(2**63), 10**30, 1e-320, "0" * 1000, "os.system", "Function"),
    *({"object": 0}, {"object": 10**6}, {"object": -1}, {"float": "nan"}, {"float": "inf"}),
    *({"tuple": []}, {"dict": [[[], 1]]}, {"array": "nobody"}, {"csr": []}, {"scalar": "x"}),
    *({"kernel": "RBF(gamma=0.3)"}, {"kernel": "Sum(" * 60}, {"kernel": "__import__('os')"}),
    *({"kernel": "Wavelet(level=1000000000)"}, {"kernel": "Polynomial(degree=10, gamma=1e300)"}),
    *({"function": "f"}, {"kernel": "array('x')"}, {"kernel": "partial(RBF, 1)"}, "[" * 500),
]


def parts(data: bytes) -> tuple[bytes, bytes]:
    _, n_header, _, _ = container.HEAD.unpack(data[: container.HEAD.size])
    return data[container.HEAD.size :][:n_header], data[container.HEAD.size + n_header :]


def signed(text: bytes, payload: bytes) -> bytes:
    """A file of these with a checksum that is right."""
    return container.signed_head(text, payload) + text + payload


def _piece(rng: Rng, data: bytes) -> tuple[int, int]:
    start = int(rng.integers(len(data)))
    return start, min(len(data), start + int(rng.integers(1, 200)))


def flipped(rng: Rng, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(int(rng.integers(1, 9))):
        changed[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def cut(rng: Rng, data: bytes) -> bytes:
    return data[: int(rng.integers(len(data)))]


def longer(rng: Rng, data: bytes) -> bytes:
    return data + rng.bytes(int(rng.integers(1, 100)))


def swapped(rng: Rng, data: bytes) -> bytes:
    a, b = sorted([_piece(rng, data), _piece(rng, data)])
    if b[0] < a[1]:
        return data[: a[0]] + data[a[1] :]
    return data[: a[0]] + data[b[0] : b[1]] + data[a[1] : b[0]] + data[a[0] : a[1]] + data[b[1] :]


def emptied(rng: Rng, data: bytes) -> bytes:
    start, end = _piece(rng, data)
    return data[:start] + bytes(end - start) + data[end:]


def doubled(rng: Rng, data: bytes) -> bytes:
    start, end = _piece(rng, data)
    return data[:end] + data[start:end] + data[end:]


def lied_about_lengths(rng: Rng, data: bytes) -> bytes:
    lie = struct.pack("<Q", int(rng.choice([0, 1, 2**20, 2**31, 2**40, 2**63])))
    at = 8 if rng.integers(2) else 16
    return data[:at] + lie + data[at + 8 :]


def _places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if way:
        yield way
    if isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield from _places(value[key], (*way, key))


def _at(tree: Any, way: tuple[Any, ...]) -> Any:
    for key in way:
        tree = tree[key]
    return tree


def _edited(rng: Rng, text: bytes) -> bytes:
    tree = json.loads(text)
    for _ in range(int(rng.integers(1, 3))):
        ways = list(_places(tree))
        way = ways[int(rng.integers(len(ways)))]
        owner, key = _at(tree, way[:-1]), way[-1]
        what = int(rng.integers(5))
        if what == 0:
            del owner[key]
        elif what == 1:
            owner[key] = json.loads(json.dumps(_at(tree, ways[int(rng.integers(len(ways)))])))
        elif what == 2 and type(owner[key]) in (int, float):
            owner[key] = owner[key] * float(rng.choice([-1, 0, 0.5, 2, 1e10])) + 1
        else:
            owner[key] = HOSTILE[int(rng.integers(len(HOSTILE)))]
    return json.dumps(tree).encode()


def header_edited(rng: Rng, data: bytes) -> bytes:
    text, payload = parts(data)
    return signed(_edited(rng, text), payload)


def arrays_relabelled(rng: Rng, data: bytes) -> bytes:
    text, payload = parts(data)
    (n,) = struct.unpack("<Q", payload[:8])
    told = _edited(rng, payload[8 : 8 + n])
    return signed(text, struct.pack("<Q", len(told)) + told + payload[8 + n :])


def numbers_changed(rng: Rng, data: bytes) -> bytes:
    text, payload = parts(data)
    return signed(text, flipped(rng, payload))


def header_garbled(rng: Rng, data: bytes) -> bytes:
    text, payload = parts(data)
    return signed(flipped(rng, text), payload)


DAMAGED: tuple[Callable[[Rng, bytes], bytes], ...] = (
    *(flipped, cut, longer, swapped, emptied, doubled, lied_about_lengths),
)
SIGNED: tuple[Callable[[Rng, bytes], bytes], ...] = (
    *(header_edited, arrays_relabelled, numbers_changed, header_garbled),
)


class Outcome(NamedTuple):
    refused: Counter[str]  # by the kind of change
    used: Counter[str]  # signed anew, loaded, and then used
    wrong: list[str]  # whatever must not be
    slowest: float  # in seconds of the processor
    memory: float  # MB that one took at most before it was refused


def attacked(files: list[bytes], n: int, folder: Path, seed: int = 0) -> Outcome:
    """n changed files, each kind of change as often as the others."""
    rng, path = np.random.default_rng(seed), folder / "changed.okpca"
    refused: Counter[str] = Counter()
    used: Counter[str] = Counter()
    wrong, slowest, memory = [], 0.0, 0.0
    changes = DAMAGED + SIGNED
    for i in range(n):
        change, data = changes[i % len(changes)], files[i // len(changes) % len(files)]
        changed = change(rng, data)
        if changed == data:
            continue
        path.write_bytes(changed)
        before = _memory(anew=True)
        started = time.process_time()
        try:
            model = okpca.load(path)
        except okpca.ModelFileError:
            refused[change.__name__] += 1
            memory = max(memory, _memory() - before)
            slowest = max(slowest, time.process_time() - started)
        except BaseException as error:  # which is what is looked for
            wrong.append(f"{change.__name__}, number {i}: {type(error).__name__}: {error}")
        else:
            slowest = max(slowest, time.process_time() - started)
            if change in DAMAGED:
                wrong.append(f"{change.__name__}, number {i}: accepted")
            used[change.__name__] += 1
            wrong += [f"{change.__name__}, number {i}: {what}" for what in _use(model)]
    return Outcome(refused, used, wrong, slowest, memory)


def _use(model: Any) -> list[str]:
    """Look, learn, look; errors that say what they are about are answers too."""
    rows = np.random.default_rng(1).normal(size=(20, 4))
    try:
        model.score_samples(rows)
        model.partial_fit(rows)
        model.score_samples(rows)
    except (ValueError, np.linalg.LinAlgError):
        return []
    except BaseException as error:  # likewise
        return [f"in use, {type(error).__name__}: {error}"]
    return []


def _memory(*, anew: bool = False) -> float:
    """The most that the process has had, in MB; from now on, where the system can (Linux)."""
    try:
        if anew:
            Path("/proc/self/clear_refs").write_text("5")
        told = Path("/proc/self/status").read_text()
        return int(told.split("VmHWM:")[1].split()[0]) / 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def victims(folder: Path) -> list[bytes]:
    """Small files of several kinds."""
    X = np.random.default_rng(0).normal(size=(300, 4))
    common = {"gamma": 0.2, "max_atoms": 15}
    models: list[Any] = [
        OnlineKernelPCA(2, **common),
        OnlineKernelPCA(2, rule="on-kha", random_state=np.random.RandomState(0), **common),
        OnlineKernelPCA(2, burn_in=400, scale="robust", **common),
        KernelNoveltyDetector(0.9, warm_up=50, window=100, contamination=0.05, lags=1, **common),
    ]
    files = []
    for model in models:
        model.partial_fit(X).save(folder / "whole.okpca")
        files.append((folder / "whole.okpca").read_bytes())
        _use(okpca.load(folder / "whole.okpca"))  # what is compiled is loaded
    return files


def timed(work: Callable[[], Any], repeats: int) -> float:
    """The median, in milliseconds."""
    taken = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return 1000 * float(np.median(taken))


def costs(folder: Path, n_atoms: int, n_features: int, repeats: int) -> list[str]:
    X = np.random.default_rng(0).normal(size=(2 * n_atoms, n_features))
    model = OnlineKernelPCA(
        10, gamma=0.2 / n_features, nu=0.0, max_atoms=n_atoms, on_full="project"
    ).fit(X)
    file, old = folder / "model.okpca", folder / "model.pickle"
    model.save(file)
    old.write_bytes(pickle.dumps(model))
    rows = [
        ("save", lambda: model.save(file)),
        ("load", lambda: okpca.load(file)),
        ("pickle.dumps to a file", lambda: old.write_bytes(pickle.dumps(model))),
        ("pickle.loads", lambda: pickle.loads(old.read_bytes())),
    ]
    title = f"{model.n_atoms_} atoms x {n_features}: {file.stat().st_size / 1e6:.2f} MB"
    title += f" (pickle {old.stat().st_size / 1e6:.2f} MB)"
    return [title, *(f"  {name:24s}{timed(work, repeats):8.1f} ms" for name, work in rows)]


def report(outcome: Outcome) -> list[str]:
    kinds = [change.__name__ for change in DAMAGED + SIGNED]
    total = sum(outcome.refused.values()) + sum(outcome.used.values())
    lines = [f"{total} changed files: refused, or (signed anew) loaded and used"]
    lines += [f"  {kind:24s}{outcome.refused[kind]:8d}{outcome.used[kind]:8d}" for kind in kinds]
    slowest, memory = 1000 * outcome.slowest, outcome.memory
    lines.append(f"  slowest {slowest:.0f} ms, memory +{memory:.1f} MB at most")
    lines.append(f"  wrong: {len(outcome.wrong)}")
    return lines + [f"    {what}" for what in outcome.wrong[:20]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=11_000, help="how many changed files")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("\n".join(costs(folder, 500, 784, 15)), flush=True)
        started = time.perf_counter()
        outcome = attacked(victims(folder), args.files, folder, args.seed)
        print("\n".join(report(outcome)))
        print(f"  {time.perf_counter() - started:.0f} s in all")
    raise SystemExit(bool(outcome.wrong) or outcome.memory > 64)


if __name__ == "__main__":
    main()
