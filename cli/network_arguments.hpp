#pragma once

#include "cli/command.hpp"
#include "networks/graph/graph.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::cli {
using namespace networks;

/// Which network a command is about.
struct ModelSource {
    std::string model; ///< name of a built-in one, or an ONNX file
    std::int64_t batch = 1;

    void add_to(CLI::App& parser);
    /// Throws bad_input where there is no such network. `seed`: of drawn weights.
    [[nodiscard]] Graph graph(std::uint64_t seed) const;
};

void add_network_plan(std::vector<Command>& subcommands, CLI::App& parser, const GlobalOptions& global);
void add_network_run(std::vector<Command>& subcommands, CLI::App& parser, const GlobalOptions& global);

} // namespace texelscope::cli
