#include "cli/network_arguments.hpp"

#include "base/error.hpp"
#include "networks/models/models.hpp"
#include "networks/onnx/read_onnx.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>

namespace texelscope::cli {

void ModelSource::add_to(CLI::App& parser)
{
    parser.add_option("model", model, "name of a built-in network, or an ONNX file")->required();
    parser.add_option("--batch", batch, "extent of the first dimension, where the file leaves it open")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{65536}));
}

Graph ModelSource::graph(std::uint64_t seed) const
{
    if (const BuiltInModel* const built_in = find_model(model)) {
        return built_in->make(batch, seed);
    }
    if (!std::filesystem::exists(model)) {
        std::string names;
        for (const BuiltInModel& each : built_in_models()) {
            names += (names.empty() ? "" : ", ") + each.name;
        }
        throw bad_input("there is no such file, and no built-in network of that name", model, "networks are " + names);
    }
    OnnxOptions options;
    options.batch = batch;
    return read_onnx(model, options);
}

} // namespace texelscope::cli
