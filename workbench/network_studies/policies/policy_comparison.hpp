#pragma once

#include "workbench/network_studies/judged_network.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// A network as one policy plans it.
struct PolicyResult {
    std::string policy; ///< its key
    /// Nothing where the policy has no plan on the device.
    std::optional<JudgedNetwork> network;
    std::string why_not = {}; ///< why there is no plan, in one line

    /// In ns; nothing where there is no plan, or the judge gave a kernel no time.
    [[nodiscard]] std::optional<double> total(Judge judge) const;
};

/// The same kernels by several policies, ours first.
struct PolicyComparison {
    std::vector<PolicyResult> policies;

    [[nodiscard]] const PolicyResult& ours() const { return policies.front(); }
    /// The fastest of the other policies by that judge; null where none has a time.
    [[nodiscard]] const PolicyResult* best_other(Judge judge) const;
    /// That policy's time over ours; nothing where one of the two has none.
    [[nodiscard]] std::optional<double> speedup(Judge judge) const;
};

/// Judges a network once planned by our policy and once by each of `policies` (keys of
/// policy_keys(), with or without "ours"). A framework that tunes nothing has one candidate per
/// kernel. Throws as judge_network() does; a policy without a plan is no error.
[[nodiscard]] PolicyComparison
compare_policies(const networks::Graph& graph, const DeviceProfile& profile,
                 const std::vector<std::string>& policies, const JudgingOptions& options,
                 const devices::OpenClDevice* on, const networks::TensorNumbers& inputs,
                 const Progress& progress = {}, const StopToken& stop = {});

} // namespace texelscope::workbench::network_studies
