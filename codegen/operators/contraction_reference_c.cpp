#include "codegen/operators/contraction_reference_c.hpp"

#include "base/indented_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace texelscope::codegen {
namespace {

void open_loops(IndentedText& c, const Contraction& contraction, const std::vector<int>& slots)
{
    for (const int slot : slots) {
        const Variable& dim = contraction.dim(slot);
        c.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", dim.name, dim.extent()));
    }
}

void close_loops(IndentedText& c, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        c.close();
    }
}

/// Declares TENSOR_0, TENSOR_1, ... as the index along each dimension; returns the conditions under which they lie
/// inside of the tensor, those that always hold left out.
std::vector<std::string> declare_index(IndentedText& c, const Tensor& tensor, const std::vector<IndexExpr>& index)
{
    std::vector<std::string> inside;
    for (std::size_t d = 0; d < index.size(); ++d) {
        const std::string name = fmt::format("{}_{}", tensor.name, d);
        c.line(fmt::format("const int {} = {};", name, index[d].to_opencl()));
        const Range bounds = index[d].bounds();
        if (bounds.min < 0) {
            inside.push_back(fmt::format("{} >= 0", name));
        }
        if (bounds.max >= tensor.shape[d]) {
            inside.push_back(fmt::format("{} < {}", name, tensor.shape[d]));
        }
    }
    return inside;
}

/// The element at the declared index: "((long long)X_0 * 5 + X_1) * 3 + X_2".
std::string element(const Tensor& tensor)
{
    std::string offset = fmt::format("(long long){}_0", tensor.name);
    for (std::size_t d = 1; d < tensor.shape.size(); ++d) {
        const std::string factor = d == 1 ? offset : fmt::format("({})", offset);
        offset = fmt::format("{} * {} + {}_{}", factor, tensor.shape[d], tensor.name, d);
    }
    return offset;
}

} // namespace

std::string reference_c(const Contraction& contraction)
{
    std::vector<std::string> parameters;
    std::vector<std::string> factors;
    for (const Contraction::Input& input : contraction.inputs) {
        parameters.push_back("const float *" + input.tensor.name);
        factors.push_back(fmt::format("(double){}[{}]", input.tensor.name, element(input.tensor)));
    }
    parameters.push_back("double *" + contraction.output.name);

    IndentedText c;
    c.line(fmt::format("static void reference({}, double *MAGNITUDE)", fmt::join(parameters, ", ")));
    c.open("{");
    open_loops(c, contraction, contraction.outputs);
    const std::vector<std::string> is_output = declare_index(c, contraction.output, contraction.output_index);
    if (!is_output.empty()) {
        c.open(fmt::format("if (!({})) {{", fmt::join(is_output, " && ")));
        c.line("continue;");
        c.close();
    }
    c.line("double sum = 0.0;");
    c.line("double magnitude = 0.0;");
    open_loops(c, contraction, contraction.reductions);
    std::vector<std::string> inside;
    for (const Contraction::Input& input : contraction.inputs) {
        const std::vector<std::string> conditions = declare_index(c, input.tensor, input.index);
        inside.insert(inside.end(), conditions.begin(), conditions.end());
    }
    if (!inside.empty()) {
        c.open(fmt::format("if ({}) {{", fmt::join(inside, " && ")));
    }
    c.line(fmt::format("const double product = {};", fmt::join(factors, " * ")));
    c.line("sum += product;");
    c.line("magnitude += product < 0.0 ? -product : product;");
    close_loops(c, contraction.reductions.size() + (inside.empty() ? 0 : 1));
    c.line(fmt::format("{}[{}] = sum;", contraction.output.name, element(contraction.output)));
    c.line(fmt::format("MAGNITUDE[{}] = magnitude;", element(contraction.output)));
    close_loops(c, contraction.outputs.size() + 1);
    return c.text();
}

} // namespace texelscope::codegen
