"""Runs networks by texelscope and by ONNX Runtime on the same inputs, one thread each, and compares the outputs."""

import json
import os
import statistics
import subprocess
import sys
import time

import numpy
import onnxruntime

ALLOWED = 1e-4  # of an output's largest number
ALLOWED_HALF = 4e-3  # where ONNX Runtime computes in fp16, and we in fp32
FILE_SUFFIX = ".onnx"
SAMPLES = 7


def session_of(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def inputs_of(session, seed):
    """Real numbers from -1 to 1, integers 0 and 1. Open dimensions have one place."""
    random = numpy.random.default_rng(seed)
    inputs = {}
    for each in session.get_inputs():
        shape = [extent if isinstance(extent, int) else 1 for extent in each.shape]
        if "int" in each.type:
            inputs[each.name] = random.integers(0, 2, shape).astype(each.type[7:-1])  # tensor(int64)
        else:
            kind = {"tensor(float16)": numpy.float16, "tensor(double)": numpy.float64}.get(each.type, numpy.float32)
            inputs[each.name] = random.uniform(-1, 1, shape).astype(kind)
    return inputs


def ours(program, folder, model, session, inputs, tune):
    """Outputs by name, and the median time of all kernels in ms."""
    command = [program, "network", "run", model, "--on", "pocl", "--samples", str(SAMPLES), "--tune", tune, "--json", "--quiet"]
    for number, (name, values) in enumerate(inputs.items()):
        file = os.path.join(folder, f"in{number}.npy")
        numpy.save(file, values.astype(numpy.float32))
        command += ["--input", f"{name}={file}"]
        if model.endswith(FILE_SUFFIX):
            command += ["--shape", f"{name}={','.join(str(extent) for extent in values.shape)}"]
    files = {each.name: os.path.join(folder, f"out{i}.npy") for i, each in enumerate(session.get_outputs())}
    for name, file in files.items():
        command += ["--output", f"{name}={file}"]
    done = subprocess.run(command, env=dict(os.environ, POCL_MAX_PTHREAD_COUNT="1"), capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return ({name: numpy.load(file) for name, file in files.items()},
            json.loads(done.stdout)["total"]["measured_ns"] / 1e6)


def theirs(session, inputs):
    outputs = session.run(None, inputs)
    times = []
    for _ in range(SAMPLES):
        start = time.perf_counter()
        session.run(None, inputs)
        times.append(1e3 * (time.perf_counter() - start))
    return {each.name: values for each, values in zip(session.get_outputs(), outputs)}, statistics.median(times)


def relative_error(found, wanted):
    if found.shape != wanted.shape:
        return numpy.inf
    if wanted.size == 0:
        return 0.0
    wanted = wanted.astype(numpy.float64)
    return float(numpy.abs(found - wanted).max() / max(numpy.abs(wanted).max(), 1e-30))


def main(program, folder, tune, networks):
    agrees = True
    print(f"{'network':20} {'error':>8} {'texelscope':>12} {'ONNX Runtime':>13} {'ratio':>6}")
    for network in networks:
        model = network
        if not network.endswith(FILE_SUFFIX):
            model = os.path.join(folder, network + FILE_SUFFIX)
            subprocess.run([program, "network", "export", network, "-o", model, "--quiet"], check=True)
        session = session_of(model)
        inputs = inputs_of(session, seed=1)
        try:
            found, our_ms = ours(program, folder, model, session, inputs, tune)
        except RuntimeError as error:
            print(f"{network:20} {error}")
            agrees = False
            continue
        wanted, their_ms = theirs(session, inputs)
        error = max(relative_error(found[name], values) for name, values in wanted.items())
        half = any(values.dtype == numpy.float16 for values in wanted.values())
        agrees = agrees and error <= (ALLOWED_HALF if half else ALLOWED)
        print(f"{os.path.basename(network):20} {error:8.1e} {our_ms:9.2f} ms {their_ms:10.2f} ms {our_ms / their_ms:6.2f}", flush=True)
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
