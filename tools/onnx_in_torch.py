"""A network of an ONNX file as a function of PyTorch: node by node, with weights that can be trained."""

import numpy
import onnx
import torch
import torch.nn.functional as F

# Which inputs of an operator training changes, where they are constants; of Add and Mul those of more than one number.
TRAINED = {"Conv": (1, 2), "ConvTranspose": (1, 2), "Gemm": (0, 1, 2), "MatMul": (0, 1), "BatchNormalization": (1, 2),
           "LayerNormalization": (1, 2), "Add": (0, 1), "Mul": (0, 1), "PRelu": (1,)}


class Network:
    """Constants by name, as tensors of `dtype`: `trained` have gradients, `running` are what batch normalisations measure."""

    def __init__(self, file, dtype):
        graph = onnx.load(file).graph
        constants = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
        self.nodes = graph.node
        self.input = next(each.name for each in graph.input if each.name not in constants)
        self.output = graph.output[0].name
        # Whole numbers are shapes, axes and indices: they stay as they are.
        self.constants = {name: torch.tensor(array, dtype=dtype if array.dtype == numpy.float32 else None)
                          for name, array in constants.items()}
        read = {name for node in graph.node for place, name in enumerate(node.input)
                if place in TRAINED.get(node.op_type, ()) and name in self.constants
                and (node.op_type not in ("Add", "Mul") or self.constants[name].numel() > 1)}
        self.trained = {name: each for name, each in self.constants.items() if name in read}
        self.running = {name: self.constants[name] for node in graph.node if node.op_type == "BatchNormalization"
                        for name in node.input[3:5]}
        for each in self.trained.values():
            each.requires_grad_()

    def __call__(self, x, training):
        values = dict(self.constants)
        values[self.input] = x
        for node in self.nodes:
            if node.op_type not in OPERATORS:
                raise ValueError(f"{node.op_type} (node {node.name}) is not known to the comparison with PyTorch")
            attributes = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
            if node.op_type == "BatchNormalization":
                attributes["training"] = training
            inputs = [values[name] if name else None for name in node.input]
            values[node.output[0]] = OPERATORS[node.op_type](*inputs, **attributes)
        return values[self.output]


def is_even(pads):
    """Whether as much is added in front as behind."""
    return pads[:len(pads) // 2] == pads[len(pads) // 2:]


def padded(x, pads, value=0.0):
    """`pads`: in front of the last dimensions, then behind them; F.pad begins with the last."""
    half = len(pads) // 2
    return F.pad(x, [n for pair in zip(reversed(pads[:half]), reversed(pads[half:])) for n in pair], value=value)


def conv(x, weight, bias=None, kernel_shape=None, strides=(1, 1), pads=(0, 0, 0, 0), dilations=(1, 1), group=1):
    if not is_even(pads):
        x, pads = padded(x, pads), (0, 0, 0, 0)
    return F.conv2d(x, weight, bias, strides, pads[:2], dilations, group)


def conv_transpose(x, weight, bias=None, kernel_shape=None, strides=(1, 1), pads=(0, 0, 0, 0), dilations=(1, 1), group=1,
                   output_padding=(0, 0)):
    if not is_even(pads):
        raise ValueError("ConvTranspose with other padding in front than behind")
    return F.conv_transpose2d(x, weight, bias, strides, pads[:2], output_padding, group, dilations)


def gemm(a, b, c=None, alpha=1.0, beta=1.0, transA=0, transB=0):
    product = alpha * ((a.T if transA else a) @ (b.T if transB else b))
    return product if c is None else product + beta * c


def batch_normalization(x, scale, bias, mean, variance, epsilon=1e-5, momentum=0.9, training=False):
    return F.batch_norm(x, mean, variance, scale, bias, training, 1 - momentum, epsilon)


def layer_normalization(x, scale, bias=None, axis=-1, epsilon=1e-5):
    return F.layer_norm(x, x.shape[axis:], scale, bias, epsilon)


def max_pool(x, kernel_shape, strides, pads=(0, 0, 0, 0), ceil_mode=0):
    if not is_even(pads):
        x, pads = padded(x, pads, -float("inf")), (0, 0, 0, 0)
    return F.max_pool2d(x, kernel_shape, strides, pads[:2], ceil_mode=bool(ceil_mode))


def average_pool(x, kernel_shape, strides, pads=(0, 0, 0, 0)):
    # Padding is not counted: sums over how many numbers each window has.
    counts = F.avg_pool2d(padded(torch.ones_like(x[:1, :1]), pads), kernel_shape, strides)
    return F.avg_pool2d(padded(x, pads), kernel_shape, strides) / counts


def reshape(x, shape):
    return x.reshape([x.shape[i] if n == 0 else n for i, n in enumerate(shape.tolist())])


def gather(x, indices, axis=0):
    taken = x.index_select(axis, indices.flatten())
    return taken.reshape(x.shape[:axis] + indices.shape + x.shape[axis + 1:])


OPERATORS = {
    "Add": torch.add,
    "AveragePool": average_pool,
    "BatchNormalization": batch_normalization,
    "Clip": torch.clamp,
    "Concat": lambda *parts, axis: torch.cat(parts, axis),
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "Dropout": lambda x, *rates, **attributes: x,
    "Flatten": lambda x, axis=1: x.reshape(int(numpy.prod(x.shape[:axis])), -1),
    "Gather": gather,
    "Gelu": lambda x, approximate=b"none": F.gelu(x, approximate=approximate.decode()),
    "Gemm": gemm,
    "GlobalAveragePool": lambda x: x.mean(tuple(range(2, x.dim())), keepdim=True),
    "LayerNormalization": layer_normalization,
    "MatMul": torch.matmul,
    "MaxPool": max_pool,
    "Mul": torch.mul,
    "PRelu": lambda x, slope: torch.where(x < 0, slope * x, x),
    "Pad": lambda x, pads: padded(x, pads.tolist()),
    "Relu": torch.relu,
    "Reshape": reshape,
    "Softmax": lambda x, axis=-1: torch.softmax(x, axis),
    "Transpose": lambda x, perm: x.permute(perm),
}
