"""Trains networks by texelscope and by PyTorch on the same data, one thread each, and compares gradients, losses and times."""

import statistics
import sys

import numpy
import onnx
import torch

from training_runs import Programs, Task, theirs

GRADIENT_ALLOWED = 1e-4  # of a weight's largest gradient
DRAWS = 5  # one of them has to agree, see check_gradients()
LOSS_ALLOWED = 1e-3  # of the loss
WEIGHT_ALLOWED = 1e-2  # of a weight's largest number, after the last step
LOSS_FLOOR = 1e-5  # added to what is allowed: losses of a trained network come close to zero
FALLS_TO = 1 / 3  # of the first loss, at least
TIMED_STEPS = 7


def extents(model):
    """Of the input and of the output, with the batch."""
    graph = onnx.load(model).graph
    return [[each.dim_value for each in value.type.tensor_type.shape.dim] for value in (graph.input[0], graph.output[0])]


def loss_for(model):
    """A row of numbers for each sample says its class."""
    return "cross-entropy" if len(extents(model)[1]) == 2 else "mse"


def drawn(model, samples, seed, loss, soft=False):
    """Inputs in [-1, 1]; classes, of each sample numbers of all classes that add up to one, or numbers in [-1, 1]."""
    random = numpy.random.default_rng(seed)
    of_input, of_output = extents(model)
    inputs = random.uniform(-1, 1, [samples] + of_input[1:])
    if loss == "mse":
        targets = random.uniform(-1, 1, [samples] + of_output[1:])
    elif soft:
        targets = random.dirichlet(numpy.ones(of_output[1]), samples)
    else:
        targets = random.integers(0, of_output[1], samples)
    return inputs.astype(numpy.float32), targets.astype(numpy.float32)


def patterns(classes, samples, noise, shape, seed):
    """Images of 28x28: of each class a pattern of 7x7 squares, with noise."""
    random = numpy.random.default_rng(seed)
    pattern = numpy.kron(random.normal(size=(classes, 7, 7)), numpy.ones((4, 4)))
    targets = random.integers(0, classes, samples)
    images = pattern[targets] + random.normal(scale=noise, size=(samples, 28, 28))
    return images.reshape((samples,) + shape).astype(numpy.float32), targets.astype(numpy.float32)


def largest(array):
    return float(numpy.abs(array).max())


def gradient_errors(found, wanted):
    """By weight, of its largest gradient. Some are zero but for rounding, as a bias before a normalisation: those are held to the
    largest gradient of all weights."""
    if found.keys() != wanted.keys():
        raise RuntimeError("trained by one alone: " + ", ".join(sorted(found.keys() ^ wanted.keys())))
    of_all = max(largest(each) for each in wanted.values())
    sizes = {name: largest(each) for name, each in wanted.items()}
    return {name: largest(found[name].astype(float) - each) / (sizes[name] if sizes[name] > 1e-12 * of_all else of_all)
            for name, each in wanted.items()}


def without_kinks(model, file):
    """With Gelu in place of ReLU and ReLU6, a slope for all numbers, the mean of a window for its largest."""
    network = onnx.load(model)
    others = {"Relu": "Gelu", "Clip": "Gelu", "PRelu": "Mul", "MaxPool": "AveragePool"}
    for node in network.graph.node:
        if node.op_type == "Clip":
            del node.input[1:]
        node.op_type = others.get(node.op_type, node.op_type)
    network.opset_import[0].version = max(20, network.opset_import[0].version)  # the first that has Gelu
    onnx.save(network, file)
    return file


def smaller(model, file, side, nodes):
    """For images of that side, and its first nodes alone; None: all."""
    network = onnx.load(model)
    graph = network.graph
    if nodes:
        del graph.node[nodes:]
    for extent in graph.input[0].type.tensor_type.shape.dim[2:]:
        extent.dim_value = side
    graph.output[0].Clear()
    graph.output[0].name = graph.node[-1].output[0]
    network = onnx.shape_inference.infer_shapes(network)
    onnx.save(network, file)
    return file


# Side of images, and number of nodes, with which rounding seldom takes a number over a kink.
SMALL = {"mobilenet-v2": (64, 40), "resnet-18": (64, None), "fsrcnn": (24, None)}


def check_gradients(programs, network):
    """One run from the first weights. Where rounding takes a number over the kink of a ReLU, or makes another one the largest of its
    window, gradients jump, PyTorch's in single precision as ours; of millions of numbers some are always that close. So the whole network
    is held to PyTorch without kinks. With them a smaller one is, in which one of a few draws has no such number: what is wrong is wrong
    whatever is drawn."""
    batch = 2
    model = programs.exported(network, batch)
    if not {"Relu", "Clip", "PRelu", "MaxPool"} & {node.op_type for node in onnx.load(model).graph.node}:
        return check_draws(programs, network, model, batch, draws=1)
    smooth = without_kinks(model, programs.path(network + "-smooth.onnx"))
    agrees = check_draws(programs, network + ", smooth", smooth, batch, draws=1)
    if network in SMALL:
        model = smaller(model, programs.path(network + "-small.onnx"), *SMALL[network])
    return check_draws(programs, network + (", small" if network in SMALL else ""), model, batch, DRAWS) and agrees


def check_draws(programs, label, model, batch, draws):
    loss = loss_for(model)
    for seed in range(1, draws + 1):
        task = Task(*drawn(model, batch, seed, loss), batch, steps=1, loss=loss)
        wanted = theirs(model, task, torch.float64)
        single = gradient_errors(theirs(model, task, torch.float32).gradients, wanted.gradients)
        found = programs.ours(model, task, keep=["gradients"])
        errors = gradient_errors(found.gradients, wanted.gradients)
        worst = max(errors, key=errors.get)
        beyond = sum(not each <= GRADIENT_ALLOWED for each in errors.values())
        print(f"{label:26} {seed:4} {len(errors):8} {beyond:7} {errors[worst]:10.1e} {max(single.values()):9.1e}  {worst}",
              flush=True)
        if beyond == 0 and close(found.losses[0], wanted.losses[0]):
            return True
    return False


def close(found, wanted):
    return abs(found - wanted) <= LOSS_ALLOWED * abs(wanted) + LOSS_FLOOR


def check_losses(programs, network):
    """Ten steps with momentum and weight decay. Samples are no multiple of the batch; resnet-18 takes a step after two batches, vit-tiny
    has numbers of all classes as targets."""
    rate, batch, accumulate, samples, soft = {"resnet-18": (0.001, 2, 2, 7, False), "vit-tiny": (0.1, 2, 1, 5, True)}[network]
    model = programs.exported(network, batch)
    task = Task(*drawn(model, samples, seed=1, loss="cross-entropy", soft=soft), batch, steps=10, learning_rate=rate, momentum=0.9,
                weight_decay=1e-4, accumulate=accumulate)
    return compare_training(programs, network, model, task, range(task.steps))


def check_mnist(programs, network):
    """A network of MNIST's size learns to tell patterns from each other."""
    classes, noise, shape = {"mlp-784-256-128-16": (16, 3, (784,)), "lenet-5": (10, 2, (1, 28, 28))}[network]
    batch = 32
    model = programs.exported(network, batch)
    task = Task(*patterns(classes, 640, noise, shape, seed=1), batch, steps=120, learning_rate=0.003, momentum=0.9,
                weight_decay=1e-4)
    return compare_training(programs, network, model, task, [0, 1, 2, 5, 10, 20, 40, 60, 80, 100, 119], falls=True)


def weight_errors(found, wanted):
    """By weight, mean and variance, of its largest number."""
    return {name: largest(found[name].astype(float) - each) / largest(each) for name, each in wanted.items()}


def compare_training(programs, network, model, task, shown, falls=False):
    found = programs.ours(model, task, keep=["weights"])
    wanted = theirs(model, task, torch.float64)
    single = theirs(model, task, torch.float32)
    print(f"{network}: rate {task.learning_rate}, momentum {task.momentum}, decay {task.weight_decay}, batch {task.batch}, "
          f"{task.accumulate} to a step, {len(task.inputs)} samples")
    print(f"  {'step':>5} {'texelscope':>12} {'float64':>12} {'apart':>9} {'float32 apart':>14}")
    for step in shown:
        of_all = [each.losses[step] for each in (found, wanted, single)]
        print(f"  {step + 1:5} {of_all[0]:12.6f} {of_all[1]:12.6f} {abs(of_all[0] / of_all[1] - 1):9.1e} "
              f"{abs(of_all[2] / of_all[1] - 1):14.1e}")
    if found.weights.keys() != wanted.weights.keys():
        raise RuntimeError("kept by one alone: " + ", ".join(sorted(found.weights.keys() ^ wanted.weights.keys())))
    apart = {name: weight_errors(each.weights, wanted.weights) for name, each in (("texelscope", found), ("float32", single))}
    for name, errors in apart.items():
        worst = max(errors, key=errors.get)
        print(f"  weights, {name} from float64: at most {errors[worst]:.1e} of their largest apart ({worst})", flush=True)
    agrees = (len(found.losses) == task.steps and all(map(close, found.losses, wanted.losses)) and
              all(each <= WEIGHT_ALLOWED for each in apart["texelscope"].values()))
    last = statistics.mean(found.losses[-5:])
    return agrees and (not falls or last <= FALLS_TO * found.losses[0])


def check_times(programs, network):
    """A step for one sample; PyTorch's in single precision, with all that is around its kernels."""
    model = programs.exported(network, 1)
    loss = loss_for(model)
    task = Task(*drawn(model, 4, seed=1, loss=loss), 1, TIMED_STEPS, loss, learning_rate=0.001, momentum=0.9)
    our_ms, their_ms = programs.ours(model, task).step_ms, theirs(model, task, torch.float32).step_ms
    print(f"{network:20} {our_ms:9.2f} ms {their_ms:9.2f} ms {our_ms / their_ms:6.2f}", flush=True)
    return True


PARTS = {
    "gradients": (check_gradients, ["mobilenet-v2", "resnet-18", "fsrcnn", "vit-tiny"],
                  f"{'gradients':26} {'seed':>4} {'weights':>8} {'beyond':>7} {'texelscope':>10} {'float32':>9}  worst"),
    "losses": (check_losses, ["resnet-18", "vit-tiny"], ""),
    "mnist": (check_mnist, ["mlp-784-256-128-16", "lenet-5"], ""),
    "times": (check_times, ["resnet-18"], f"{'a step':20} {'texelscope':>12} {'PyTorch':>12} {'ratio':>6}"),
}


def main(program, folder, only, networks):
    torch.set_num_threads(1)
    programs = Programs(program, folder)
    checked, wrong = 0, []
    for part, (check, own, heading) in PARTS.items():
        taken = networks if networks and part == "gradients" else [each for each in own if not networks or each in networks]
        if only and part != only or not taken:
            continue
        print(heading or part)
        for network in taken:
            try:
                agrees = check(programs, network)
            except RuntimeError as error:
                print(f"{network}: {error}", flush=True)
                agrees = False
            checked += 1
            if not agrees:
                wrong.append(f"{part} of {network}")
    if not checked:
        sys.exit(f"check_pytorch: {only} are of other networks than {', '.join(networks)}")
    if wrong:
        sys.exit(f"check_pytorch: PyTorch and texelscope disagree: {', '.join(wrong)}; files: {folder}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
