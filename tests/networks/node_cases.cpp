#include "tests/networks/node_cases.hpp"

#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "networks/onnx/read_onnx.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <variant>
#include <vector>

namespace texelscope::networks::test {
namespace {

std::vector<Array> arrays(const std::filesystem::path& folder, const char* kind)
{
    std::vector<Array> all;
    for (int i = 0;; ++i) {
        const std::filesystem::path path = folder / fmt::format("{}_{}.pb", kind, i);
        if (!std::filesystem::exists(path)) {
            return all;
        }
        all.push_back(parse_onnx_tensor(map_file(path.string())->view()).second);
    }
}

/// The tests have bfloat16 as the integers whose bits it is.
Array as_declared(const Array& array, std::int32_t type)
{
    if (type != static_cast<std::int32_t>(OnnxType::bf16) || !array.is_integer()) {
        return array;
    }
    std::vector<float> numbers;
    for (const std::int64_t bits : array.integers()) {
        numbers.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
    }
    return {array.shape, std::move(numbers)};
}

std::vector<double> numbers_of(const Array& array)
{
    return std::visit(
        [](const auto& numbers) { return std::vector<double>(numbers.begin(), numbers.end()); },
        array.values);
}

} // namespace

NodeCase run_node_case(const std::string& folder, const Compute& compute)
{
    using enum NodeCase::Outcome;
    const std::filesystem::path path = folder;
    NodeCase result{path.filename().string()};
    try {
        const OnnxFile file = read_onnx_file(path / "model.onnx");
        std::vector<Array> given = arrays(path / "test_data_set_0", "input");
        for (std::size_t i = 0; i < given.size(); ++i) {
            given[i] = as_declared(given[i], file.inputs.at(i).type);
        }
        const std::vector<Array> wanted = arrays(path / "test_data_set_0", "output");
        OnnxOptions options;
        std::vector<Reals> inputs;
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (given[i].is_integer()) {
                options.constants[file.inputs.at(i).name] = given[i];
            }
        }
        Graph graph;
        try {
            graph = graph_of(file, options);
        } catch (const Error&) { // bounds and the like may be given as numbers that are constant in
                                 // practice
            for (std::size_t i = 1; i < given.size(); ++i) {
                options.constants[file.inputs.at(i).name] = given[i];
            }
            graph = graph_of(file, options);
        }
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (!options.constants.contains(file.inputs[i].name)) {
                inputs.push_back(
                    {given[i].shape, {given[i].reals().begin(), given[i].reals().end()}});
            }
        }
        const std::vector<Reals> values = compute(graph, inputs);
        result.outcome = passed;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const Reals& found = values[static_cast<std::size_t>(graph.outputs.at(i))];
            if (found.shape != wanted[i].shape) {
                return {result.name, wrong,
                        "shape " + to_string(found.shape) + " for " + to_string(wanted[i].shape)};
            }
            // A tensor of bfloat16 has eight bits, to which the tests cut numbers; here they are of
            // fp32.
            const bool short_numbers =
                file.outputs.at(i).type == static_cast<std::int32_t>(OnnxType::bf16);
            const double allowed = short_numbers ? 1.0 / 128 : 1e-3;
            const std::vector<double> truths =
                numbers_of(as_declared(wanted[i], file.outputs[i].type));
            for (std::size_t k = 0; k < found.values.size(); ++k) {
                const double truth = truths[k];
                if (!(std::abs(found.values[k] - truth) <= 1e-5 + allowed * std::abs(truth)) &&
                    found.values[k] != truth &&
                    !(std::isnan(found.values[k]) && std::isnan(truth))) {
                    return {result.name, wrong,
                            fmt::format("output {}, element {}: {} for {}", i, k, found.values[k],
                                        truth)};
                }
            }
        }
    } catch (const Error& error) {
        result.line = error.what();
    }
    return result;
}

} // namespace texelscope::networks::test
