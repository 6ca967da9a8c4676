#include "codegen/operators/matmul.hpp"

#include "codegen/operators/contraction_operator.hpp"
#include "codegen/operators/operator.hpp"

#include <string>
#include <utility>

namespace texelscope::codegen {
namespace {

BilinearMap product(std::int64_t m, std::int64_t n, std::int64_t k)
{
    const std::vector<std::string> dims{"row", "column"};
    return {{"A", {m, k}, dims}, {"B", {k, n}, dims}, {"C", {m, n}, dims}};
}

std::string name_of(Pass pass)
{
    switch (pass) {
    case Pass::first_gradient:
        return "matmul_da";
    case Pass::second_gradient:
        return "matmul_db";
    case Pass::forward:
        break;
    }
    return "matmul";
}

Operator matmul_pass(Pass pass, std::int64_t m, std::int64_t n, std::int64_t k)
{
    check_sizes(name_of(pass), {m, n, k}, "M,N,K");
    const auto for_each_product = [rows = static_cast<std::size_t>(m),
                                   columns = static_cast<std::size_t>(n),
                                   inner = static_cast<std::size_t>(k)](const auto& visit) {
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t l = 0; l < inner; ++l) {
                for (std::size_t j = 0; j < columns; ++j) {
                    visit(i * inner + l, l * columns + j, i * columns + j);
                }
            }
        }
    };
    ContractionOperator parts;
    parts.shape = {m, n, k};
    parts.contraction = matmul_contraction(pass, m, n, k);
    parts.products = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    parts.reference = sum_of_products(pass, parts.contraction.output.size(), for_each_product);
    return contraction_operator(std::move(parts));
}

} // namespace

Contraction matmul_contraction(Pass pass, std::int64_t m, std::int64_t n, std::int64_t k)
{
    // The dimensions that index the tensors, by name: of the first input, the second, the output.
    constexpr int y = 0;
    constexpr int x = 1;
    constexpr int summed = 2;
    std::vector<Variable> dims;
    std::vector<std::vector<int>> index;
    switch (pass) {
    case Pass::forward:
        dims = {{y, "m", {0, m - 1}}, {x, "n", {0, n - 1}}, {summed, "k", {0, k - 1}}};
        index = {{y, summed}, {summed, x}};
        break;
    case Pass::first_gradient: // dA[m,k] = sum over n of dC[m,n] B[k,n]
        dims = {{y, "m", {0, m - 1}}, {x, "k", {0, k - 1}}, {summed, "n", {0, n - 1}}};
        index = {{y, summed}, {x, summed}};
        break;
    case Pass::second_gradient: // dB[k,n] = sum over m of A[m,k] dC[m,n]
        dims = {{y, "k", {0, k - 1}}, {x, "n", {0, n - 1}}, {summed, "m", {0, m - 1}}};
        index = {{summed, y}, {summed, x}};
        break;
    }
    const auto variable = [&](int slot) { return IndexExpr(dims[static_cast<std::size_t>(slot)]); };

    Contraction contraction;
    contraction.kernel = name_of(pass);
    contraction.dims = dims;
    contraction.outputs = {y, x};
    contraction.reductions = {summed};
    contraction.x = x;
    contraction.y = y;
    const std::vector<Tensor> tensors = pass_inputs(product(m, n, k), pass);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        // Which of the input's two indices is summed over.
        const int reduction = index[i][0] == summed ? 0 : 1;
        contraction.inputs.push_back(
            {tensors[i], {variable(index[i][0]), variable(index[i][1])}, 1 - reduction, reduction});
    }
    contraction.output = pass_output(product(m, n, k), pass);
    contraction.output_index = {variable(y), variable(x)};
    return contraction;
}

Operator matmul(std::int64_t m, std::int64_t n, std::int64_t k)
{
    return matmul_pass(Pass::forward, m, n, k);
}

Operator matmul_da(std::int64_t m, std::int64_t n, std::int64_t k)
{
    return matmul_pass(Pass::first_gradient, m, n, k);
}

Operator matmul_db(std::int64_t m, std::int64_t n, std::int64_t k)
{
    return matmul_pass(Pass::second_gradient, m, n, k);
}

} // namespace texelscope::codegen
