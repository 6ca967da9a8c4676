"""Runs of training on the same data: by texelscope, and by PyTorch."""

import dataclasses
import json
import os
import shutil
import statistics
import subprocess
import time

import numpy
import torch
import torch.nn.functional as F

from onnx_in_torch import Network


@dataclasses.dataclass
class Task:
    """What a network is trained on: samples along the first dimension; class numbers, or targets like the output."""

    inputs: numpy.ndarray
    targets: numpy.ndarray
    batch: int
    steps: int
    loss: str = "cross-entropy"
    learning_rate: float = 0.0
    momentum: float = 0.0
    weight_decay: float = 0.0
    accumulate: int = 1


@dataclasses.dataclass
class Trained:
    losses: list  # of each step, the mean over its runs
    gradients: dict  # of the last run, by the name of the weight
    weights: dict  # after the last step, with running means and variances
    step_ms: float  # median


class Programs:
    """The program that is checked, and a folder for files."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def exported(self, network, batch):
        file = self.path(f"{network}-{batch}.onnx")
        self.output_of("export", network, "--batch", batch, "-o", file)
        return file

    def output_of(self, *words):
        done = subprocess.run([self.program, "network", *map(str, words), "--quiet"], capture_output=True, text=True,
                              env=dict(os.environ, POCL_MAX_PTHREAD_COUNT="1"))
        if done.returncode != 0:
            raise RuntimeError((done.stderr.strip() or f"texelscope ended with {done.returncode}").splitlines()[-1])
        return done.stdout

    def ours(self, model, task, keep=()):
        """`keep`: "gradients" and "weights", which take time to keep."""
        numpy.save(self.path("input.npy"), task.inputs)
        numpy.save(self.path("target.npy"), task.targets)
        words = ["run", model, "--train", "--on", "pocl", "--loss", task.loss, "--learning-rate", task.learning_rate,
                 "--momentum", task.momentum, "--weight-decay", task.weight_decay, "--accumulate", task.accumulate,
                 "--steps", task.steps, "--batch", task.batch, "--timeout", 600, "--json",
                 "--input", f"{Network(model, torch.float32).input}={self.path('input.npy')}",
                 "--target", self.path("target.npy")]
        for what in keep:
            shutil.rmtree(self.path(what), ignore_errors=True)
            words += ["--" + what, self.path(what)]
        out = json.loads(self.output_of(*words))
        return Trained(out["losses"], self.arrays("gradients", keep), self.arrays("weights", keep),
                       out["training"]["step_ns"] / 1e6)

    def arrays(self, what, keep):
        if what not in keep:
            return {}
        return {file.removesuffix(".npy"): numpy.load(os.path.join(self.path(what), file))
                for file in os.listdir(self.path(what))}


def theirs(model, task, dtype):
    """Stochastic gradient descent of PyTorch, over the same samples in the same order."""
    network = Network(model, dtype)
    weights = list(network.trained.values())
    optimizer = torch.optim.SGD(weights, task.learning_rate, task.momentum, weight_decay=task.weight_decay)
    inputs = torch.tensor(task.inputs, dtype=dtype)
    classes = task.loss == "cross-entropy" and task.targets.ndim == 1
    targets = torch.tensor(task.targets, dtype=torch.int64 if classes else dtype)
    loss_of = {"cross-entropy": F.cross_entropy, "mse": F.mse_loss}[task.loss]
    losses, times, first = [], [], 0
    for _ in range(task.steps):
        start = time.perf_counter()
        optimizer.zero_grad()
        of_runs = []
        for _ in range(task.accumulate):
            taken = [(first + i) % len(inputs) for i in range(task.batch)]
            first += task.batch
            loss = loss_of(network(inputs[taken], training=True), targets[taken])
            gradients = torch.autograd.grad(loss, weights)
            for weight, gradient in zip(weights, gradients):
                share = gradient / task.accumulate
                weight.grad = share if weight.grad is None else weight.grad + share
            of_runs.append(loss.item())
        optimizer.step()
        losses.append(statistics.mean(of_runs))
        times.append(1e3 * (time.perf_counter() - start))
    return Trained(losses, {name: each.numpy() for name, each in zip(network.trained, gradients)},
                   {name: each.detach().numpy() for name, each in (network.trained | network.running).items()},
                   statistics.median(times))
