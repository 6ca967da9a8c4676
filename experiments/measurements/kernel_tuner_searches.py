"""Replays Kernel Tuner's own search strategies on measured configurations, in its simulation mode.

    kernel_tuner_searches.py PROGRAM TABLE FOLDER OUT.csv [--strategies A,B:N] [--seeds N] [--budget N]

TABLE is what `texelscope results export --csv` wrote, packed or not; PROGRAM is texelscope. Each operator and shape in it is
exported as Kernel Tuner's cache file, and each strategy searches it with its default options, once for each seed. OUT.csv says
how good the best of so many runs was. What is done is kept in FOLDER, so that the script goes on where it was stopped.
Run by tools/check_kernel_tuner --searches, which installs Kernel Tuner.
"""

import os
import sys

if os.environ.get("PYTHONHASHSEED") != "0":
    # Kernel Tuner goes through sets of words, whose order is another one in each process unless this is set. Several threads
    # would only disturb each other: the matrices are small.
    os.environ.update(PYTHONHASHSEED="0", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    os.execv(sys.executable, [sys.executable, *sys.argv])

import argparse
import collections
import contextlib
import csv
import hashlib
import json
import math
import random
import statistics
import subprocess
import time
import warnings
import zlib
from importlib.metadata import version
from pathlib import Path

import numpy
from kernel_tuner import interface, tune_kernel, util
from kernel_tuner.searchspace import Searchspace

# All of Kernel Tuner 1.5.0 but brute_force; the first ones are those that matter most. Not among them: skopt and
# pyatf_strategies, whose packages Kernel Tuner does not bring along.
STRATEGIES = (
    "random_sample genetic_algorithm simulated_annealing mls diff_evo greedy_mls ordered_greedy_mls greedy_ils dual_annealing"
    " bayes_opt pso adaptive_tabu_greywolf hybrid_vndx firefly_algorithm nsga3 nsga2 minimize basinhopping"
).split()
# Strategies that take so long that fewer seeds must do.
FEWER_SEEDS = {
    **dict.fromkeys(("greedy_ils", "adaptive_tabu_greywolf", "hybrid_vndx"), 20),
    **dict.fromkeys(("dual_annealing", "bayes_opt", "pso", "firefly_algorithm", "nsga3", "nsga2", "minimize", "basinhopping"), 5),
}
# Kernel Tuner moves a point that is no configuration to one nearby only where this option is given, although the strategies
# say that it is on by default. Without it these two would hardly ever run anything behind their first points.
OPTIONS = {name: {"constraint_aware": True} for name in ("pso", "firefly_algorithm")}
# A strategy that ends before its budget is spent is begun again, but for these: they go through all points between the values,
# know nothing of constraints, and so meet a measured configuration only where they start. Begun again and again they would be
# random samples that take hours.
ONE_START = ("dual_annealing", "basinhopping", "minimize")
RUNS = (1, 8, 16, 32, 64, 128, 192)
WITHIN = (1.10, 1.05, 1.01)
# A strategy that asks so often without running anything new is ended, and one that so often ends without is given up.
MOST_IDLE_CALLS, MOST_IDLE_STARTS = 1000, 50


def say(text):
    print(text, flush=True)


def texelscope(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"texelscope {' '.join(map(str, arguments))}: {done.stderr.strip()}")


# From the table to caches of Kernel Tuner.


def read_table(program, table, folder):
    """The rows of a table that may be packed: through a store."""
    plain = folder / "plain.csv"
    (folder / "plain.sqlite").unlink(missing_ok=True)
    texelscope(program, "results", "import", folder / "plain.sqlite", table)
    texelscope(program, "results", "export", folder / "plain.sqlite", "--csv", plain)
    with open(plain, newline="") as lines:
        return list(csv.DictReader(lines))


def faster(a, b):
    """Of two measurements of a kernel the faster one that ran."""
    key = lambda row: (row["status"] != "ok", float(row["median_ns"] or 0))
    return min(a, b, key=key)


def export(program, table, folder):
    """Each operator and shape as a cache file of Kernel Tuner, as texelscope exports it."""
    rows = read_table(program, table, folder)
    # Searches with different seeds differ in their settings, of which a cache holds one alone, and some kernels were measured
    # by two of them.
    kept = {}
    for row in rows:
        row["settings"] = rows[0]["settings"]
        key = tuple(row[name] for name in ("operator", "shape", "padding", "device", "driver", "program", "kernel"))
        kept[key] = faster(kept[key], row) if key in kept else row
    say(f"{len(rows)} rows, {len(kept)} configurations, {sum(row['status'] == 'ok' for row in kept.values())} of them right")
    with open(folder / "table.csv", "w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        writer.writerows(kept.values())
    store = folder / "store.sqlite"
    store.unlink(missing_ok=True)
    texelscope(program, "results", "import", store, folder / "table.csv")
    for op, shape in sorted({(row["operator"], row["shape"]) for row in kept.values()}):
        file = folder / "exported.json"
        texelscope(program, "results", "export", store, "--op", op, "--shape", shape, "--kernel-tuner", file)
        yield op, shape, json.loads(file.read_text())


def parameters_of(entry, names, loops):
    """The parameters of an entry, the loops to write out one by one."""
    values = {}
    for name in names:
        if name == "unroll":
            values.update({f"unroll_{loop}": int(loop in entry[name].split("+")) for loop in loops})
        else:
            values[name] = entry[name]
    return values


def cache_of(exported):
    """A cache in which every parameter is one choice and has several values: so a user of Kernel Tuner would write them."""
    entries, names = exported["cache"].values(), exported["tune_params_keys"]
    loops = sorted({loop for entry in entries for loop in entry.get("unroll", "none").split("+")} - {"none"})
    rows = [parameters_of(entry, names, loops) for entry in entries]
    values = {name: sorted({row[name] for row in rows}) for name in rows[0]}
    values = {name: choices for name, choices in values.items() if len(choices) > 1}
    cache = dict(exported, tune_params_keys=list(values), tune_params=values, cache={})
    del cache["texelscope"]
    for row, entry in zip(rows, entries):
        configuration = {name: row[name] for name in values}
        outcome = {name: entry[name] for name in ("time", "__error__", "times", "timestamp") if name in entry}
        took = {f"{part}_time": 0 for part in ("compile", "verification", "benchmark", "strategy", "framework")}
        cache["cache"][",".join(map(str, configuration.values()))] = {**configuration, **outcome, **took}
    if len(cache["cache"]) != len(entries):
        sys.exit("two configurations have the same parameters")
    return cache


class Shape:
    """An operator and shape: its cache file, and for each configuration its time over the best known."""

    def __init__(self, file):
        text = file.read_text()
        cache = json.loads(text)
        self.file, self.name = file, file.stem
        self.digest = hashlib.sha256(text.encode()).hexdigest()
        self.op, self.problem_size = cache["kernel_name"], tuple(cache["problem_size"])
        self.shape = ",".join(map(str, self.problem_size))
        self.parameters = cache["tune_params"]
        self.numbers = {key: number for number, key in enumerate(cache["cache"])}
        self.entries = list(cache["cache"].values())
        times = [entry.get("time") for entry in self.entries]
        best = min(time for time in times if time)
        self.slowest = max(time for time in times if time) / best
        self.over_best = [time / best if time else None for time in times]


def shapes_of(program, table, folder):
    """The operators and shapes of the table, exported anew only where the table is another one."""
    caches, mark = folder / "caches", folder / "table.sha256"
    digest = hashlib.sha256(table.read_bytes()).hexdigest()
    if not mark.exists() or mark.read_text() != digest:
        caches.mkdir(parents=True, exist_ok=True)
        for file in caches.glob("*.json"):
            file.unlink()
        for op, shape, exported in export(program, table, folder):
            (caches / f"{op}-{shape.replace(',', '-')}.json").write_text(json.dumps(cache_of(exported), indent=""))
        mark.write_text(digest)
    return [Shape(file) for file in sorted(caches.glob("*.json"))]


# Searches.


class Stuck(Exception):
    """The strategy runs nothing new any more."""


class Observed:
    """A strategy of Kernel Tuner whose runs are noted in their order. One that ends, fails or runs nothing new before the budget
    is spent is begun again with what is left of it, as its user would do."""

    def __init__(self, name, numbers):
        self.name, self.numbers = name, numbers
        self.order, self.starts, self.errors = [], 0, collections.Counter()

    def tune(self, searchspace, runner, tuning_options):
        tuning_options["strategy"] = self.name  # nsga2 and nsga3 are one strategy that looks here
        run, idle_calls, seen = runner.run, 0, set()

        def noted(configurations, options):
            nonlocal idle_calls
            before = len(seen)
            results = run(configurations, options)
            for configuration, result in zip(configurations, results):
                number = self.numbers.get(",".join(map(str, configuration)))
                if result is not None and number is not None and number not in seen:
                    seen.add(number)
                    self.order.append(number)
            idle_calls = 0 if len(seen) > before else idle_calls + 1
            if idle_calls > MOST_IDLE_CALLS:
                idle_calls = 0
                raise Stuck
            return results

        runner.run = noted
        idle_starts = 0
        while not tuning_options.budget.is_done() and idle_starts < MOST_IDLE_STARTS:
            before = len(seen)
            self.starts += 1
            try:
                interface.strategy_map[self.name].tune(searchspace, runner, tuning_options)
            except util.StopCriterionReached:
                pass
            except Stuck:
                self.errors["runs nothing new"] += 1
            except Exception as error:
                self.errors[f"{type(error).__name__}: {error}"[:160]] += 1
            idle_starts = 0 if len(seen) > before else idle_starts + 1
            if self.name in ONE_START:
                break
        if len(self.order) != tuning_options.budget.get_evaluations_spent():
            sys.exit(f"{self.name}: {len(self.order)} runs were seen, Kernel Tuner counts {tuning_options.budget.num_fevals}")
        return []


def measured_space(entries, known):
    """In place of Kernel Tuner's constructor: the space of exactly the measured configurations. Its own solver would go through
    the product of all values, of 10 to the 10th and more."""

    def space(tune_params, restrictions, max_threads, **options):
        cache = {"tune_params": tune_params, "cache": {number: entry for number, entry in enumerate(entries)}}
        made = Searchspace(None, None, None, from_cache=cache)
        # Some strategies try points outside of the space, and learn from this that they are not allowed.
        made._modified_restrictions = [util.FunctionConstraint(known)]
        return made

    return space


def search(strategy, shape, seed, budget):
    # Shapes with as many configurations would draw the same numbers by the same seed alone.
    seed = zlib.crc32(f"{shape.name} {seed}".encode())
    random.seed(seed)
    numpy.random.seed(seed)
    observed = Observed(strategy, shape.numbers)
    interface.Searchspace = measured_space(shape.entries, lambda *values: ",".join(map(str, values)) in shape.numbers)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tune_kernel(
            shape.op,
            "",
            shape.problem_size,
            [],
            {name: list(values) for name, values in shape.parameters.items()},
            strategy=observed,
            strategy_options={"max_fevals": budget, **OPTIONS.get(strategy, {})},
            simulation_mode=True,
            cache=str(shape.file),
            seed=seed,
            quiet=True,
        )
    if len(set(observed.order)) != len(observed.order) or len(observed.order) > budget:
        sys.exit(f"{strategy}, {shape.name}, seed {seed}: the runs are not distinct, or too many")
    return observed


def searches(strategy, shape, seeds, budget, folder):
    """What every seed ran, as [runs, starts, errors]: what the folder has, and what is missing."""
    file = folder / strategy / f"{shape.name}.json"
    head = {"cache": shape.digest, "budget": budget, "options": OPTIONS.get(strategy, {}), "idle": MOST_IDLE_CALLS}
    done = json.loads(file.read_text()) if file.exists() else {}
    found = done["found"] if done.get("head") == head else []
    for seed in range(len(found), seeds):
        observed = search(strategy, shape, seed, budget)
        found.append([observed.order, observed.starts, dict(observed.errors)])
        if seed + 1 == seeds or time.monotonic() > searches.kept + 10:
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part")
            part.write_text(json.dumps({"head": head, "found": found}))
            part.rename(file)
            searches.kept = time.monotonic()
    return found[:seeds]


searches.kept = 0.0


# What came out.


def best_after(order, shape):
    """The best so far over the best known after each run; the slowest valid time where nothing was right yet."""
    best, curve = None, []
    for number in order:
        ratio = shape.over_best[number]
        if ratio is not None and (best is None or ratio < best):
            best = ratio
        curve.append(shape.slowest if best is None else best)
    return curve


def at(curve, run, shape):
    """A search that ended before has what it had then."""
    return curve[min(run, len(curve)) - 1] if curve else shape.slowest


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def runs_to(curve, limit):
    return next((run for run, ratio in enumerate(curve, 1) if ratio <= limit), math.inf)


def summary(found, shape, budget):
    """Quantity, where, value."""
    curves = [best_after(order, shape) for order, _, _ in found]
    for run in RUNS:
        if run <= budget:
            yield "over-best", run, f"{geometric_mean([at(curve, run, shape) for curve in curves]):.5g}"
    for limit in WITHIN:
        needed = statistics.median([runs_to(curve, limit) for curve in curves])
        yield "runs-to", f"{limit:.2f}", "" if math.isinf(needed) else f"{needed:g}"  # empty: half of the seeds never come there
    yield "runs", "", f"{statistics.fmean(len(order) for order, _, _ in found):.5g}"
    yield "starts", "", f"{statistics.fmean(starts for _, starts, _ in found):.5g}"


def expected(shape, draws):
    """Of the logarithm of the best of so many draws without repetition over the best known: mean and variance."""
    ratios = sorted(shape.slowest if ratio is None else ratio for ratio in shape.over_best)
    count = len(ratios)
    chances = [math.comb(count - number - 1, draws - 1) / math.comb(count, draws) for number in range(count)]
    logarithms = [math.log(ratio) for ratio in ratios]
    mean = sum(map(lambda chance, value: chance * value, chances, logarithms))
    return mean, sum(chance * (value - mean) ** 2 for chance, value in zip(chances, logarithms))


def check_random(found_of, shapes, budget):
    """Random samples must be what the closed form says, within what so many seeds allow; else the replay is wrong."""
    for run in (run for run in RUNS if run <= budget):
        found, mean, variance = 0, 0, 0
        for shape in shapes:
            values = [math.log(at(best_after(order, shape), run, shape)) for order, _, _ in found_of[shape.name]]
            one, spread = expected(shape, run)
            if abs(statistics.fmean(values) - one) > 5 * math.sqrt(spread / len(values)) + 1e-9:
                sys.exit(f"random_sample, {shape.name}: after {run} runs {statistics.fmean(values):.4f}, not {one:.4f}")
            found, mean, variance = found + statistics.fmean(values), mean + one, variance + spread / len(values)
        apart = abs(found - mean) / math.sqrt(variance)
        say(
            f"random_sample after {run:3} runs: {math.exp(found / len(shapes)):.4f} over the best, expected"
            f" {math.exp(mean / len(shapes)):.4f} ({apart:.1f} standard errors apart)"
        )
        if apart > 4:
            sys.exit("random_sample is not what the closed form says: the replay is wrong")


def print_table(lines):
    """Over the shapes: the geometric mean and the worst of what is over the best, and the median of the runs to it."""
    by = collections.defaultdict(list)
    for strategy, _, _, _, quantity, where, value in lines:
        by[strategy, quantity, where].append(math.inf if value == "" else float(value))
    runs = sorted({where for _, quantity, where in by if quantity == "over-best"})
    head = ["strategy", *map(str, runs), *(f"to {100 * limit - 100:.0f} %" for limit in WITHIN), "runs", "seeds"]
    say("| " + " | ".join(head) + " |")
    say("|" + " --- |" * len(head))
    for strategy, seeds in dict.fromkeys((line[0], line[3]) for line in lines):
        over = [by[strategy, "over-best", run] for run in runs]
        cells = [strategy, *(f"{geometric_mean(values):.2f} ({max(values):.2f})" for values in over)]
        for limit in WITHIN:
            middle = statistics.median(by[strategy, "runs-to", f"{limit:.2f}"])
            cells.append("" if math.isinf(middle) else f"{middle:g}")
        say("| " + " | ".join([*cells, f"{statistics.fmean(by[strategy, 'runs', '']):.0f}", str(seeds)]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("table", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--strategies", default=",".join(STRATEGIES), help="A,B:N; N seeds for B")
    parser.add_argument("--seeds", type=int, default=50, help="for each strategy; for slow ones at most 5 or 20")
    parser.add_argument("--budget", type=int, default=192)
    options = parser.parse_args()
    # Strategies by name, each with its number of seeds.
    strategies = {}
    for word in options.strategies.split(","):
        name, _, seeds = word.partition(":")
        strategies[name] = int(seeds) if seeds else min(options.seeds, FEWER_SEEDS.get(name, options.seeds))
    if unknown := set(strategies) - set(interface.strategy_map):
        parser.error(f"Kernel Tuner {version('kernel_tuner')} has no strategy {', '.join(sorted(unknown))}")

    # LatinHypercube of scipy asks for numbers that no seed decides; from here on the seed does.
    default_rng = numpy.random.default_rng
    numpy.random.default_rng = lambda seed=None: default_rng(numpy.random.randint(2**31) if seed is None else seed)

    shapes = shapes_of(options.program, options.table, options.folder)
    for shape in shapes:
        values = ", ".join(f"{name} {len(choices)}" for name, choices in shape.parameters.items())
        say(f"{shape.op} {shape.shape}: {len(shape.entries)} configurations; values of {values}")

    lines = []
    for strategy, seeds in strategies.items():
        found_of = {}
        for shape in shapes:
            from_time = time.monotonic()
            found = found_of[shape.name] = searches(strategy, shape, seeds, options.budget, options.folder)
            said = list(summary(found, shape, options.budget))
            lines += [(strategy, shape.op, shape.shape, seeds, *line) for line in said]
            took = f"{time.monotonic() - from_time:.1f} s"
            say(f"{strategy}, {shape.op} {shape.shape}: {took}; " + "; ".join(" ".join(map(str, line)).strip() for line in said))
            errors = sum((collections.Counter(errors) for _, _, errors in found), collections.Counter())
            for error, count in errors.items():
                say(f"    {count} times: {error}")
        if strategy == "random_sample":
            check_random(found_of, shapes, options.budget)
    with open(options.out, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("strategy", "operator", "shape", "seeds", "quantity", "at", "value"))
        writer.writerows(lines)
    print_table(lines)


if __name__ == "__main__":
    main()
