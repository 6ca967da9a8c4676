#include "codegen/text/host_program.hpp"

#include "base/text.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/rounding_bound.hpp"
#include "codegen/text/host_program_parts.hpp"
#include "codegen/text/kernel_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace texelscope::codegen {
namespace {

/// A C string literal.
std::string quoted(const std::string& text)
{
    std::string literal = "\"";
    // Two question marks in a row may begin a trigraph in C99, and are broken up.
    for (const char c : text) {
        const bool trigraph = c == '?' && literal.back() == '?';
        literal += c == '"' || c == '\\' || trigraph ? std::string{'\\', c} : std::string{c};
    }
    return literal + "\"";
}

/// A C constant of type double with the same value.
std::string c_double(double value)
{
    // Without a point or an exponent it would be an int.
    const std::string text = fmt::format("{}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

bool is_half(const Operand& operand)
{
    return operand.storage == Storage::fp16;
}

bool any_half_input(const LoopNest& nest)
{
    return std::any_of(nest.inputs.begin(), nest.inputs.end(), is_half);
}

bool any_half(const LoopNest& nest)
{
    return any_half_input(nest) || is_half(nest.output);
}

std::string header(const LoopNest& nest)
{
    return fmt::format(
        "// {} on an OpenCL device: runs the kernel, prints its time, checks its output.\n"
        "// configuration {}\n"
        "//\n"
        "// Build: cc -O2 FILE.c -o {} -lOpenCL -lm\n"
        "// Run:   ./{} [DEVICE [SEED]]\n"
        "//        DEVICE: number of a device, or part of its name or its platform's; without it "
        "(or \"\")\n"
        "//        the first GPU, else the first device. SEED: of the inputs; 1 without it.\n"
        "// Exit code: 0 check passed, 1 check failed, 2 an error, which one line says.\n",
        nest.operator_text, nest.schedule_text, nest.name, nest.name);
}

/// The kernel as an array of lines: no string is longer than what a C compiler must take.
std::string kernel_literal(const LoopNest& nest)
{
    std::string text = "// ---- The kernel ----\n\nstatic const char *kernel_text[] = {\n";
    std::istringstream lines(opencl_text(nest, TexelBackend::native));
    for (std::string line; std::getline(lines, line);) {
        std::string literal = quoted(line);
        literal.insert(literal.size() - 1, "\\n");
        text += "    " + literal + ",\n";
    }
    return text + "};\n";
}

std::string launch_constants(const Operator& op, const LoopNest& nest)
{
    return fmt::format(
        "enum {{ KERNEL_LINES = sizeof kernel_text / sizeof kernel_text[0] }};\n"
        "static const char kernel_name[] = {};\n"
        "static const size_t global_size[] = {{{}}};\n"
        "static const size_t local_size[] = {{{}}};\n\n"
        "static const char title[] = {};\n"
        "static const double flops = {};\n"
        "enum {{ WARM_UP_LAUNCHES = 2, TIMED_LAUNCHES = 9 }}; // an odd number has a median\n",
        quoted(nest.name), fmt::join(global_size(nest), ", "), fmt::join(nest.local, ", "),
        quoted(to_string(op) + " " + nest.schedule_text), c_double(nest.flops));
}

std::string shape_text(const Tensor& tensor)
{
    return fmt::format("{}[{}]", tensor.name, fmt::join(tensor.shape, "]["));
}

/// The function that lists where the elements of a tensor lie.
std::string places_function(const Operand& operand)
{
    const Tensor& tensor = operand.tensor;
    const std::vector<Variable> dims = tensor_index(tensor);
    std::vector<std::string> names;
    std::transform(dims.begin(), dims.end(), std::back_inserter(names),
                   [](const Variable& d) { return d.name; });
    IndentedText text;
    text.line(fmt::format("// {0} in {1}: {2}[{3}] is a component of texel (x, y).",
                          shape_text(tensor),
                          operand.memory == Memory::image ? "an image" : "a buffer", tensor.name,
                          fmt::join(names, "][")));
    text.line(fmt::format("static void places_of_{}(size_t width, size_t *place)", tensor.name));
    text.open("{");
    for (const Variable& d : dims) {
        text.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", d.name, d.extent()));
    }
    text.line(fmt::format("const int x = {};", operand.x.to_opencl()));
    text.line(fmt::format("const int y = {};", operand.y.to_opencl()));
    text.line(fmt::format("const int component = {};", operand.component.to_opencl()));
    text.line("*place++ = ((size_t)y * width + (size_t)x) * COMPONENTS + (size_t)component;");
    for (std::size_t open = 0; open <= dims.size(); ++open) {
        text.close();
    }
    return text.text() + "\n";
}

/// The initialiser of a Tensor.
std::string tensor_value(const Operand& operand)
{
    const Tensor& tensor = operand.tensor;
    return fmt::format("{{{}, {}, {}, {}, {}, (size_t){}, places_of_{}}}", quoted(tensor.name),
                       operand.memory == Memory::image ? "IMAGE" : "BUFFER",
                       is_half(operand) ? "CL_HALF_FLOAT" : "CL_FLOAT", operand.image.extent.width,
                       operand.image.extent.height, fmt::join(tensor.shape, " * "), tensor.name);
}

std::string tensor_table(const LoopNest& nest)
{
    std::string functions;
    std::string inputs;
    for (const Operand& input : nest.inputs) {
        functions += places_function(input);
        inputs += "    " + tensor_value(input) + ",\n";
    }
    return functions + places_function(nest.output) +
           "// The kernel's arguments are the inputs in this order, then the output.\n"
           "static const Tensor inputs[] = {\n" +
           inputs +
           "};\nenum { INPUTS = sizeof inputs / sizeof inputs[0] };\nstatic const Tensor output "
           "= " +
           tensor_value(nest.output) + ";\n";
}

/// store(), load() and as_stored(): one number to and from the texels of a tensor.
std::string number_functions(const LoopNest& nest)
{
    std::string text;
    if (any_half_input(nest)) {
        text += std::string(host_program_parts::to_half) + "\n";
    }
    if (any_half(nest)) {
        text += std::string(host_program_parts::from_half) + "\n";
    }
    text += "static void store(const Tensor *tensor, void *texels, size_t place, float value)\n{\n";
    text += any_half_input(nest) ? "    if (tensor->type == CL_HALF_FLOAT) {\n"
                                   "        ((cl_half *)texels)[place] = half_of(value);\n"
                                   "    } else {\n"
                                   "        ((cl_float *)texels)[place] = value;\n"
                                   "    }\n}\n\n"
                                 : "    (void)tensor; // all inputs are float\n"
                                   "    ((cl_float *)texels)[place] = value;\n}\n\n";
    text += "static float load(const Tensor *tensor, const void *texels, size_t place)\n{\n";
    text += is_half(nest.output)
                ? "    return tensor->type == CL_FLOAT ? ((const cl_float *)texels)[place]\n"
                  "                                     : float_of(((const cl_half "
                  "*)texels)[place]);\n}\n\n"
                : "    (void)tensor; // the output is float\n"
                  "    return ((const cl_float *)texels)[place];\n}\n\n";
    if (nest.half_sums) {
        return text + "// -1, 0 or 1: sums of their products are exact in half precision, too, up "
                      "to 2048.\n"
                      "static float as_stored(const Tensor *tensor, float value)\n{\n"
                      "    (void)tensor;\n"
                      "    return floorf(1.5f * (value + 1.0f)) - 1.0f;\n}\n";
    }
    text += "static float as_stored(const Tensor *tensor, float value)\n{\n";
    text +=
        any_half_input(nest)
            ? "    return tensor->type == CL_HALF_FLOAT ? float_of(half_of(value)) : value;\n}\n"
            : "    (void)tensor; // all inputs are float\n    return value;\n}\n";
    return text;
}

/// The arithmetic that the kernel can be built for, how, and which errors the output may have then;
/// and the device's.
std::string arithmetic_choice(const Operator& op, const LoopNest& nest)
{
    const auto row = [&](Precision arithmetic, const std::string& options) {
        const RoundingBound bound = rounding_bound(op, nest, arithmetic);
        return fmt::format("    {{{}, {}, {}, {}}},\n", quoted(to_string(arithmetic)),
                           quoted(options), c_double(bound.relative), c_double(bound.smallest));
    };
    const std::string options = kernel_build_options;
    std::string text = "// ---- Arithmetic ----\n\n"
                       "typedef struct {\n"
                       "    const char *name, *build_options;\n"
                       "    // Errors allowed by rounding: tolerance * (magnitude + smallest).\n"
                       "    double tolerance, smallest;\n"
                       "} Arithmetic;\n\n"
                       "static const Arithmetic arithmetics[] = {\n";
    if (!nest.half_sums) {
        return text + row(Precision::fp32, options) +
               "};\n\n"
               "static const Arithmetic *arithmetic_of(cl_device_id device)\n{\n"
               "    (void)device; // the same on all\n"
               "    return arithmetics;\n}\n";
    }
    return text + row(Precision::fp32, options + " " + float_arithmetic_option) +
           row(Precision::fp16, options) + "};\n\n" + host_program_parts::half_choice;
}

std::string check_function(const LoopNest& nest)
{
    std::string values; // a nest has the inputs in the operator's order, as reference() does
    for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
        values += fmt::format("values[{}], ", i);
    }
    return fmt::format(
        R"c(// Compares the output with the reference, element by element, and prints the outcome.
static bool check_output(float *const values[INPUTS], const float *result, const Arithmetic *arithmetic)
{{
    double *const expected = allocate(output.elements, sizeof *expected);
    double *const magnitude = allocate(output.elements, sizeof *magnitude);
    reference({}expected, magnitude);
    size_t wrong = 0;
    double largest = 0.0;
    for (size_t i = 0; i < output.elements; ++i) {{
        const double error = fabs((double)result[i] - expected[i]);
        const double relative = error == 0.0 ? 0.0 : error / (magnitude[i] + arithmetic->smallest);
        if (!(relative <= arithmetic->tolerance){}) {{ // a NaN is wrong, too
            ++wrong;
        }}
        if (relative > largest || isnan(relative)) {{
            largest = relative;
        }}
    }}
    free(expected);
    free(magnitude);
    printf("check: %s; largest relative error %.2e, allowed %.2e", wrong == 0 ? "passed" : "FAILED", largest,
           arithmetic->tolerance);
    if (wrong > 0) {{
        printf("; %zu of %zu elements are wrong", wrong, output.elements);
    }}
    putchar('\n');
    return wrong == 0;
}}
)c",
        values, nest.half_sums ? " || (magnitude[i] <= 2048.0 && error > 0.0)" : "");
}

} // namespace

std::string host_program_c(const Operator& op, const LoopNest& nest)
{
    namespace parts = host_program_parts;
    const std::vector<std::string> sections{
        header(nest),
        parts::includes,
        kernel_literal(nest),
        launch_constants(op, nest),
        parts::errors,
        parts::tensor_type,
        tensor_table(nest),
        number_functions(nest),
        parts::texels,
        parts::devices,
        arithmetic_choice(op, nest),
        parts::kernel,
        parts::memory,
        parts::timing,
        "// ---- The check: the operator as plain loops, and MAGNITUDE, what rounding errors are "
        "proportional to "
        "----\n\n" +
            op.reference_c(),
        check_function(nest),
        parts::main_program,
    };
    return fmt::format("{}", fmt::join(sections, "\n"));
}

} // namespace texelscope::codegen
