#include "cli/network_arguments.hpp"

#include "networks/models/models.hpp"

#include <CLI/CLI.hpp>

namespace texelscope::cli {

void ModelSource::add_to(CLI::App& parser)
{
    parser.add_option("model", model, "name of a built-in network, or an ONNX file")->required();
    parser
        .add_option("--batch", batch,
                    "extent of the first dimension, where the file leaves it open")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{65536}));
}

Graph ModelSource::graph(std::uint64_t seed) const
{
    return networks::open_network(model, batch, seed);
}

} // namespace texelscope::cli
