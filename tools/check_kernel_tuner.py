"""check_kernel_tuner.py PROGRAM FOLDER RUNS.jsonl: see tools/check_kernel_tuner."""

import json
import math
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import jsonschema
import kernel_tuner
from kernel_tuner import file_utils, util

program, folder, runs_file = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
checks = 0


def check(holds, what):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"does not hold: {what}")


def texelscope(*arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    check(done.returncode == 0, f"texelscope {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


def rows_of(store):
    """The store's rows by configuration."""
    return {row["config"]: row for row in json.loads(texelscope("results", "list", store, "--json"))["results"]}


# What Kernel Tuner calls each status, and how T4 does.
ERRORS = {
    "ok": (None, "correct"),
    "unsupported": (util.InvalidConfig, "constraints"),
    "build-failed": (util.CompilationFailedConfig, "compile"),
    "failed": (util.RuntimeFailedConfig, "runtime"),
    "timed-out": (util.RuntimeFailedConfig, "timeout"),
    "wrong-output": (util.RuntimeFailedConfig, "correctness"),
}


def failures(run):
    """Made-up runs, one of each way to fail; the wrong one would be the fastest of all."""
    outcomes = [
        ("unsupported", "too many work-items, \"1024\" at most", [], False),
        ("failed", "the kernel does not build: größe, {x}", [], False),
        ("failed", "CL_OUT_OF_RESOURCES", [], False),
        ("timed-out", "one launch took more than 60 s", [], False),
        ("ok", "", [1.0, 2.0, 1.0 / 3], False),
    ]
    for number, (status, reason, samples, passed) in enumerate(outcomes):
        yield dict(
            run,
            status=status,
            reason=reason,
            config=f"A=row,row;T=4x4;W=8x8;G=8x{8 * (number + 1)}x1",
            ns=dict(median=0, min=0, samples=samples),
            check=dict(run["check"], passed=passed),
        )


def key_of(configuration, cache):
    return ",".join(str(configuration[name]) for name in cache["tune_params_keys"])


def agree(results, ours, cache, what):
    """Each of Kernel Tuner's results is ours."""
    for result in results:
        row = ours[key_of(result, cache)]
        error = ERRORS[row["status"]][0]
        if error is None:
            check("__error__" not in result, f"{what}: {row['config']} is right")
            check(math.isclose(result["time"], row["ns"]["median"] / 1e6, rel_tol=1e-15), f"{what}: time of {row['config']}")
        else:
            check(isinstance(result["__error__"], error), f"{what}: {row['config']} failed by {error.__name__}")
        times = [ns / 1e6 for ns in row["ns"]["samples"]]
        check(result["times"] == times, f"{what}: times of {row['config']}")


with open(runs_file) as lines:
    runs = [json.loads(line) for line in lines]
runs += failures(runs[0])
(folder / "runs.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs))
texelscope("results", "import", folder / "store", folder / "runs.jsonl")
cache_file, t4_file = folder / "cache.json", folder / "t4.json"
texelscope("results", "export", folder / "store", "--kernel-tuner", cache_file, "--t4", t4_file)
rows = rows_of(folder / "store")
check(len(rows) == len(runs), "the store has every run")
check({row["status"] for row in rows.values()} == set(ERRORS), "every status is there")
best = min((row for row in rows.values() if row["status"] == "ok"), key=lambda row: row["ns"]["median"])

# The cache as Kernel Tuner reads it, and our rows by its keys.
cache = util.read_cache(str(cache_file), open_cache=False)
check(len(cache["cache"]) == len(rows), "Kernel Tuner reads as many entries as there are rows")
ours = {}
t4 = json.loads(t4_file.read_text())
configs = {run["config"]: run for run in runs}
for key, entry in cache["cache"].items():
    check(key == key_of(entry, cache), f"{key} is made of its parameters")
    check(all(entry[name] in values for name, values in cache["tune_params"].items()), f"{key} is in the space")
    config = (
        f"A={entry['pattern_1']},{entry['pattern_2']};T={entry['tile_x']}x{entry['tile_y']};"
        f"W={entry['warp_x']}x{entry['warp_y']};"
        f"G={entry['block_size_x']}x{entry['block_size_y']}x{entry['block_size_z']}"
    )
    ours[key] = rows[config]
    check(entry["times"] == [ns / 1e6 for ns in configs[config]["ns"]["samples"]], f"times of {config}")
check(len(ours) == len(rows), "every row has a key of its own")


# Simulation mode over the whole space that the cache knows, failures as well.
def known(*values):
    return ",".join(map(str, values)) in ours


before = cache_file.read_bytes()
results, environment = kernel_tuner.tune_kernel(
    cache["kernel_name"],
    "",
    tuple(cache["problem_size"]),
    [],
    cache["tune_params"],
    restrictions=[util.FunctionConstraint(known)],
    simulation_mode=True,
    cache=str(cache_file),
    quiet=True,
)
check(cache_file.read_bytes() == before, "a simulation leaves the cache as it was")
check({key_of(result, cache) for result in results} == set(ours), "the simulation visits every configuration")
agree(results, ours, cache, "tune_kernel")
check(ours[key_of(environment["best_config"], cache)] is best, "tune_kernel finds our best configuration")
check(environment["device_name"] == best["device"], "the device has its name")

# The same by tune_cache(), which leaves failures out, for some of its strategies.
for strategy in ("brute_force", "random_sample", "genetic_algorithm"):
    found, environment = kernel_tuner.tune_cache(str(cache_file), strategy=strategy, strategy_options=None, quiet=True)
    agree(found, ours, cache, strategy)
    if strategy == "brute_force":
        check(len(found) == sum(row["status"] == "ok" for row in rows.values()), "tune_cache visits all that are right")
        check(ours[key_of(environment["best_config"], cache)] is best, "tune_cache finds our best configuration")

# T4: ours is valid, and says what Kernel Tuner's own says of the same results.
_, schema = file_utils.output_file_schema("results")
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.validate(t4, schema)
check(t4["schema_version"] == "1.0.0" and t4["metadata"]["timeunit"] == "milliseconds", "version and unit of T4")
theirs = file_utils.get_t4_results(results, cache["tune_params"])
jsonschema.validate(json.loads(json.dumps(theirs, cls=util.NpEncoder)), schema)
by_key = {key_of(one["configuration"], cache): one for one in theirs["results"]}
check(len(t4["results"]) == len(by_key), "T4 has every result")
for one in t4["results"]:
    key = key_of(one["configuration"], cache)
    other = by_key[key]
    check(one["configuration"] == other["configuration"], f"T4 configuration of {key}")
    check(one["times"]["runtimes"] == other["times"]["runtimes"], f"T4 runtimes of {key}")
    check(one["times"]["compilation_time"] == other["times"]["compilation"], f"T4 compilation of {key}")
    check(one["invalidity"] == ERRORS[ours[key]["status"]][1], f"T4 invalidity of {key}")
    check(one["objectives"] == other["objectives"], f"T4 objectives of {key}")
    time = [measured["value"] for measured in one["measurements"] if measured["name"] == "time"]
    check(time == [measured["value"] for measured in other["measurements"] if measured["name"] == "time"], f"T4 time of {key}")

# Back again: what we wrote, what Kernel Tuner adds to it, before and after it closes the file, and its own T4.
file_utils.store_output_file(str(folder / "their-t4.json"), results, cache["tune_params"])
their_t4 = json.loads((folder / "their-t4.json").read_text())
their_t4["metadata"]["texelscope"] = t4["metadata"]["texelscope"]
(folder / "their-t4.json").write_text(json.dumps(their_t4))
for name in (cache_file, t4_file, folder / "their-t4.json"):
    texelscope("results", "import", folder / f"from-{name.stem}", name)
    again = rows_of(folder / f"from-{name.stem}")
    if name.stem == "their-t4":  # the simulation puts its own overheads in place of ours
        for config, row in again.items():
            row["times_ns"].update({part: rows[config]["times_ns"][part] for part in ("framework", "strategy")})
    check(again == rows, f"{name.name} gives the same rows again")
grown = folder / "grown.json"
grown.write_bytes(before)
opened = util.read_cache(str(grown), open_cache=True)
added = dict(next(entry for entry in opened["cache"].values() if "__error__" not in entry), pattern_1="row", tile_x=2)
for extra in ("status", "reason", "kernel", "seed", "total_ns", "max_abs", "max_rel", "tolerance"):
    added.pop(extra, None)
util.store_cache(key_of(added, cache), added, str(grown), opened["cache"])
texelscope("results", "import", folder / "from-open", grown)
util.close_cache(str(grown))
texelscope("results", "import", folder / "from-grown", grown)
for store in ("from-open", "from-grown"):
    more = rows_of(folder / store)
    new = [config for config in more if config not in rows]
    check(len(more) == len(rows) + 1 and len(new) == 1 and "T=2x" in new[0], f"{store}: what Kernel Tuner added is read")
    check([ns / 1e6 for ns in more[new[0]]["ns"]["samples"]] == added["times"], f"{store}: its times")
    check({config: row for config, row in more.items() if config in rows} == rows, f"{store}: the others as before")

print(
    f"kernel_tuner {version('kernel_tuner')}: {len(rows)} configurations, {checks} checks; best {best['config']}, "
    f"{best['ns']['median'] / 1e6:g} ms, the same here and there"
)
