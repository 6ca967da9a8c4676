"""The simulator through Python, against plain Python on the same accesses and against the command line."""

import collections
import json
import os
import subprocess

import numpy as np
import pytest

import texelscope as ts

PROGRAM = os.path.join(ts.program_folder(), "texelscope")


def command(*arguments):
    """What the command line prints with --json."""
    done = subprocess.run([PROGRAM, *map(str, arguments), "--json", "--quiet"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def lookups_of(accesses, images, line):
    """The distinct lines of every warp access, image by image in row layout, in the order of one core that runs warp after warp."""
    address = np.zeros(len(accesses), dtype=np.int64)
    inside = np.zeros(len(accesses), dtype=bool)
    for number, image in enumerate(images):
        mine = accesses.image == number
        x, y = accesses.x[mine].astype(np.int64), accesses.y[mine].astype(np.int64)
        address[mine] = (y * image["width"] + x) * image["bytes_per_texel"] // line
        inside[mine] = (x >= 0) & (y >= 0) & (x < image["width"]) & (y < image["height"])
    key = None
    for group, warp, step, image, at, read in zip(accesses.group, accesses.warp, accesses.step, accesses.image, address, inside):
        if (group, warp, step) != key:
            key, seen = (group, warp, step), set()
        if read and (image, at) not in seen:
            seen.add((image, at))
            yield image, at


@pytest.mark.parametrize("seed", range(12))
def test_a_plain_lru_cache_misses_as_often(seed):
    random = np.random.default_rng(seed)
    lines = int(random.choice([4, 8, 16, 32]))
    shape = tuple(int(n) for n in random.integers(3, 40, 3))
    patterns = random.choice(["row", "column", "block2", "block4"], 2)
    config = f"A={patterns[0]},{patterns[1]};T={random.choice([1, 2])}x{random.choice([1, 2, 4])};G=8x8x1"
    device = ts.Device(set={"cores": 1, "layout": "row", "l1.line": 32, "l1.capacity": 32 * lines, "l1.ways": lines,
                            "occupancy": 1, "warp.size": 32})
    study = ts.Study("matmul", shape, config=config, device=device)
    accesses = study.trace.accesses(warp_size=32)
    cache, hits, lookups = collections.OrderedDict(), 0, 0
    for tag in lookups_of(accesses, study.trace.images, 32):
        lookups += 1
        if tag in cache:
            hits += 1
            cache.move_to_end(tag)
        else:
            cache[tag] = True
            if len(cache) > lines:
                cache.popitem(last=False)
    l1 = study.simulate().l1
    assert (l1.lookups, l1.hits, l1.misses) == (lookups, hits, lookups - hits)
    assert l1.misses == l1.compulsory + l1.capacity + l1.conflict and l1.conflict == 0


@pytest.mark.parametrize("op, shape, config", [
    ("matmul", (64, 48, 32), "A=row,column;T=4x4;G=8x8x1"),
    ("conv2d", (1, 14, 14, 16, 16, 3, 3, 1), ""),
    ("softmax", (32, 64), ""),
])
def test_the_command_line_counts_the_same(op, shape, config):
    study = ts.Study(op, shape, config=config)
    arguments = ["--op", op, "--shape", ",".join(map(str, shape)), *(["--config", config] if config else [])]
    printed = command("simulate", *arguments, "--timed")
    simulation = study.simulate(timed=True)
    for name in ("lookups", "hits", "misses", "evictions", "bytes_filled"):
        assert getattr(simulation.l1, name) == printed["l1"][name]
        assert getattr(simulation.l2, name) == printed["l2"][name]
    assert simulation.cycles == printed["cycles"]
    assert simulation.ns == pytest.approx(printed["ns"])
    assert sum(simulation.stalls.values()) == pytest.approx(1)
    untimed = study.simulate()
    assert untimed.cycles is None and untimed.ns is None and untimed.stalls == {}


def test_heat_maps_count_what_the_accesses_read():
    study = ts.Study("conv2d", (1, 14, 14, 16, 16, 3, 3, 1))
    accesses = study.trace.accesses()
    for number, image in enumerate(study.trace.images):
        heat = study.heat_map(image["name"], "reads")
        mine = (accesses.image == number) & (accesses.x >= 0) & (accesses.y >= 0)
        mine &= (accesses.x < image["width"]) & (accesses.y < image["height"])
        expected = np.zeros((image["height"], image["width"]), dtype=np.int64)
        np.add.at(expected, (accesses.y[mine], accesses.x[mine]), 1)
        assert np.array_equal(heat.counts, expected)
        assert heat.total == expected.sum() and heat.max == expected.max()
    maps = study.heat_maps(["misses", "conflict"])
    assert [(m.image, m.quantity) for m in maps[:2]] == [(study.trace.images[0]["name"], q) for q in ("misses", "conflict")]
    assert sum(m.total for m in maps if m.quantity == "misses") == study.simulate().l1.misses


def test_a_range_of_steps_is_a_part_of_the_map():
    study = ts.Study("matmul", (32, 32, 32))
    parts = [study.heat_map("A", "reads", steps=part).counts for part in ((0, 5), (5, 1000))]
    assert np.array_equal(parts[0] + parts[1], study.heat_map("A", "reads").counts)


def test_reuse_distances_give_the_misses_of_every_lru_cache():
    shape, config = (24, 24, 24), "A=row,row;T=2x2;G=8x8x1"
    one_core = {"cores": 1, "layout": "row", "occupancy": 1}
    reuse = ts.Study("matmul", shape, config=config, device=ts.Device(set=one_core)).reuse()
    lookups = reuse.first_touches() + int(reuse.counts().sum())
    for lines in (4, 16, 64):
        device = ts.Device(set={**one_core, "l1.capacity": 32 * lines, "l1.ways": lines})
        l1 = ts.Study("matmul", shape, config=config, device=device).simulate().l1
        assert l1.lookups == lookups
        assert reuse.miss_ratio(lines) == pytest.approx(l1.miss_rate)
        assert reuse.first_touches() + int(reuse.counts()[lines:].sum()) == l1.misses
    capacities, ratios = reuse.curve()
    assert capacities[0] == 0 and ratios[0] == 1 and np.all(np.diff(ratios) < 0)


def test_a_trace_file_is_simulated_as_its_kernel(tmp_path):
    path = tmp_path / "t.tst"
    subprocess.run([PROGRAM, "trace", "generate", "--op", "matmul", "--shape", "32,32,32", "-o", path], check=True)
    trace, study = ts.Trace(path), ts.Study("matmul", (32, 32, 32))
    ours, its = trace.accesses(), study.trace.accesses()
    for column in ("group", "warp", "step", "lane", "image", "x", "y"):
        assert np.array_equal(getattr(ours, column), getattr(its, column))
    assert trace.simulate().l1.misses == study.simulate().l1.misses
    assert np.array_equal(trace.heat_map(image="B").counts, study.heat_map("B").counts)
    with pytest.warns(RuntimeWarning, match="more than 100 reads"):
        part = trace.accesses(limit=100)
    assert len(part) == 100 and not part.complete and ours.complete


def test_a_studys_trace_is_read_as_its_device_does():
    study = ts.Study("matmul", (32, 32, 32), device="mali-g710")
    assert study.trace.accesses().lane.max() == 15 and ts.Device("mali-g710")["warp.size"] == "16"
    assert study.trace.simulate().l1.misses == study.simulate().l1.misses
    assert study.trace.simulate("adreno-740").steps != study.simulate().steps
    assert len(study.trace.accesses().to_frame()) == len(study.trace.accesses())


def test_a_timeline_is_written(tmp_path):
    path = tmp_path / "t.pftrace"
    ts.Study("matmul", (32, 32, 32)).simulate(timed=True, timeline=str(path))
    assert path.stat().st_size > 1000
    with pytest.raises(ts.BadInput, match="timed"):
        ts.Study("matmul", (32, 32, 32)).simulate(timeline=str(path))
