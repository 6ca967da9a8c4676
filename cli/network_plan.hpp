#pragma once

#include "cli/arguments.hpp"
#include "experiments/networks/network_search.hpp"

namespace texelscope::cli {

/// `--device P` and what says how a network is planned for it.
struct PlanArguments {
    std::string device = "adreno-740";
    NetworkSearchOptions options;

    void add_to(CLI::App& parser);
    [[nodiscard]] PredictedPlan plan(const networks::Graph& graph, const GlobalOptions& global) const;
};

/// How a tensor lies: "image row/3" where texels hold dimension 3.
[[nodiscard]] std::string layout_text(const std::optional<codegen::TensorLayout>& layout);
/// A kernel as JSON, without times.
[[nodiscard]] ordered_json kernel_json(const networks::Plan& plan, const networks::PlannedKernel& planned);

/// How much memory its values take: shared, each its own, and what no plan can save.
[[nodiscard]] ordered_json memory_json(const networks::Plan& plan);
/// The same in a line.
[[nodiscard]] std::string memory_text(const networks::Plan& plan);

} // namespace texelscope::cli
