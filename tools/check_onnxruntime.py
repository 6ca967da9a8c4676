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
SAMPLES = 7


def session_of(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def inputs_of(session, seed):
    random = numpy.random.default_rng(seed)
    return {each.name: random.uniform(-1, 1, each.shape).astype(numpy.float32) for each in session.get_inputs()}


def ours(program, folder, model, session, inputs, tune):
    """Outputs by name, and the median time of all kernels in ms."""
    command = [program, "network", "run", model, "--on", "pocl", "--samples", str(SAMPLES), "--tune", tune, "--json", "--quiet"]
    for number, (name, values) in enumerate(inputs.items()):
        file = os.path.join(folder, f"in{number}.npy")
        numpy.save(file, values)
        command += ["--input", f"{name}={file}"]
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


def main(program, folder, tune, networks):
    agrees = True
    print(f"{'network':20} {'error':>8} {'texelscope':>12} {'ONNX Runtime':>13} {'ratio':>6}")
    for network in networks:
        model = os.path.join(folder, network + ".onnx")
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
        error = max(float(numpy.abs(found[name] - wanted[name]).max() / max(numpy.abs(wanted[name]).max(), 1e-30))
                    for name in wanted)
        agrees = agrees and error <= ALLOWED
        print(f"{network:20} {error:8.1e} {our_ms:9.2f} ms {their_ms:10.2f} ms {our_ms / their_ms:6.2f}", flush=True)
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
