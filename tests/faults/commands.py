"""The commands whose promises are tried, each with what there was before it and what it leaves."""

from dataclasses import dataclass, field
from pathlib import Path

MATMUL = ["--op", "matmul", "--shape", "16,16,16"]
OTHER = ["--op", "matmul", "--shape", "12,16,20"]


@dataclass
class Command:
    """Run in a folder of its own, which holds what the commands of `before` have left there."""

    name: str
    words: list
    outputs: dict  # name of a file or folder that it writes: how it is compared ("bytes", "timed", "trace", "store", "checkpoint", "present")
    before: list = field(default_factory=list)
    program: str = "texelscope"
    prints: str = "same"  # standard output of a good run: "same" each time, or "any"
    needs: str = ""  # "opencl", "oclgrind", "window": what takes seconds, and may have lines of its own
    quiet: bool = True
    codes: tuple = (2,)  # what it may end with where a file cannot be written
    memory: bool = True  # Qt ends a program that has too little for its own objects
    once: bool = False  # where all is done, it refuses to do it again

    def line(self, words):
        return [*words, "--quiet"] if self.quiet else list(words)


def sweep(budget, *more):
    return ["sweep", "results.sqlite", "--op", "matmul 16,16,16", "--budget", str(budget), *more]


def training(steps, *more):
    return ["network", "run", "mlp-16-16", "--train", "--batch", "8", "--seed", "3", "--momentum", "0.5", "--data", "16",
            "--on", "pocl", "--steps", str(steps), "--at-once", "10", "--checkpoint", "state.txt", *more]


def tune(budget):
    return ["tune", *MATMUL, "--parts", "T", "--strategy", "random", "--budget", str(budget), "--store", "results.sqlite"]


def identified(seed):
    log = Path(__file__).resolve().parents[1] / "fuzz/corpus/autotvm_log/good-several"
    return ["identify", "--kernels", str(log), "--device", "adreno-740", "--budget", "100", "--seed", str(seed),
            "--output", "found"]


def all_commands(programs):
    """Those whose program was built; `programs`: the folder with what was."""
    return [command for command in listed(programs)
            if (Path(programs) / command.program).exists() and
            (command.needs != "oclgrind" or (Path(programs) / "capture_host_program").exists())]


def listed(programs):
    host_program = str(Path(programs).resolve() / "capture_host_program")  # commands have folders of their own
    trace = ["trace", "generate", *MATMUL, "-o", "in.tst"]
    return [
        Command("tune --store", tune(8), {"results.sqlite": "store"}, [tune(3)], prints="any"),
        Command("sweep", sweep(5), {"results.sqlite": "store"}, [sweep(2)], prints="any"),
        Command("sweep --jobs 2", sweep(6, "--jobs", "2"), {"results.sqlite": "store"}, [sweep(2)], prints="any"),
        Command("results import", ["results", "import", "results.sqlite", "rows.csv"], {"results.sqlite": "store"},
                [["sweep", "other.sqlite", "--op", "softmax 16,16", "--budget", "4"],
                 ["results", "export", "other.sqlite", "--csv", "rows.csv"], sweep(3)]),
        Command("results merge", ["results", "merge", "results.sqlite", "other.sqlite"], {"results.sqlite": "store"},
                [["sweep", "other.sqlite", "--op", "softmax 16,16", "--budget", "4"], sweep(3)]),
        Command("results export",
                ["results", "export", "results.sqlite", "--csv", "rows.csv", "--kernel-tuner", "cache.json"],
                {"rows.csv": "bytes", "cache.json": "present"},
                [sweep(2), ["results", "export", "results.sqlite", "--csv", "rows.csv"], sweep(4)], prints="any"),
        Command("identify --kernels", identified(1),
                {"found/adreno-740.xml": "bytes", "found/adreno-740.machines.json": "bytes"}, [identified(2)]),
        Command("simulate --heatmap", ["simulate", *MATMUL, "--heatmap", "misses.png"], {"misses.png": "bytes"},
                [["simulate", *OTHER, "--heatmap", "misses.png"]]),
        Command("simulate --timeline", ["simulate", *MATMUL, "--timed", "--timeline", "time.pftrace"],
                {"time.pftrace": "bytes"}, [["simulate", *OTHER, "--timed", "--timeline", "time.pftrace"]]),
        Command("generate -o", ["generate", *MATMUL, "-o", "kernel.cl", "--launch", "launch.json"],
                {"kernel.cl": "bytes", "launch.json": "bytes"},
                [["generate", *OTHER, "-o", "kernel.cl", "--launch", "launch.json"]]),
        Command("trace generate", ["trace", "generate", *MATMUL, "-o", "out.tst"], {"out.tst": "bytes"},
                [["trace", "generate", *OTHER, "-o", "out.tst"]]),
        Command("trace import", ["trace", "import", "in.csv", "-o", "out.tst", "--image", "A:4x16x16", "--image", "B:16x4x16"],
                {"out.tst": "bytes"},
                [trace, ["trace", "export", "in.tst", "-o", "in.csv"], ["trace", "generate", *OTHER, "-o", "out.tst"]]),
        Command("trace export .zst", ["trace", "export", "in.tst", "-o", "out.csv.zst"], {"out.csv.zst": "bytes"},
                [trace, ["trace", "generate", *OTHER, "-o", "other.tst"],
                 ["trace", "export", "other.tst", "-o", "out.csv.zst"]]),
        Command("trace export .gz", ["trace", "export", "in.tst", "-o", "out.csv.gz"], {"out.csv.gz": "bytes"},
                [trace, ["trace", "generate", *OTHER, "-o", "other.tst"],
                 ["trace", "export", "other.tst", "-o", "out.csv.gz"]]),
        Command("probe --out",
                ["probe", "--only", "texel-formats", "--only", "conditions", "--samples", "3", "-o", "probes"],
                {"probes": "timed"}, [["probe", "--only", "conditions", "--samples", "3", "-o", "probes"]], prints="any"),
        Command("calibrate -o", ["calibrate", "--walks", "16", "--repeat", "3", "--device", "adreno-740", "-o", "fit.json"],
                {"fit.json": "bytes"},
                [["calibrate", "--walks", "12", "--repeat", "3", "--device", "adreno-740", "-o", "fit.json"]], prints="any"),
        Command("network run --train", training(30, "--weights", "weights", "--trained", "trained.onnx"),
                {"state.txt": "checkpoint", "weights": "bytes", "trained.onnx": "bytes"}, [training(10)],
                prints="any", needs="opencl", codes=(2, 3)),
        Command("network run --gradients", training(20, "--gradients", "gradients"),
                {"state.txt": "checkpoint", "gradients": "bytes"}, [training(10)],
                prints="any", needs="opencl", codes=(2, 3), once=True),
        Command("run --on agent:", ["run", *MATMUL, "--on", "agent:pocl", "--samples", "1", "--output", "C=c.npy"],
                {"c.npy": "bytes"}, [], prints="any", needs="opencl", codes=(2, 3)),
        Command("trace capture", ["trace", "capture", "-o", "out.tst", "--", host_program], {"out.tst": "trace"},
                [["trace", "generate", *OTHER, "-o", "out.tst"]], prints="any", needs="oclgrind", quiet=False),
        Command("the window, saving", ["study.xml", "matmul", "16,16,16"], {"study.xml": "bytes"},
                [["study.xml", "matmul", "12,16,20"]], program="save_study", quiet=False),
        Command("the window, a picture", [*MATMUL, "--screenshot", "window.png"], {"window.png": "present"},
                [[*OTHER, "--screenshot", "window.png"]], program="texelscope-gui", prints="any", needs="window",
                quiet=False, memory=False),
    ]
