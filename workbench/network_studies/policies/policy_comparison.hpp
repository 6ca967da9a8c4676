#pragma once

#include "workbench/network_studies/judged_network.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// A network as one policy plans it.
struct PolicyResult {
    std::string policy;                   ///< its key
    std::optional<JudgedNetwork> network; ///< nothing where it has no plan on the device
    std::string why_not = {};             ///< one line, then

    /// In ns; nothing where there is no plan, or the judge gave a kernel no time.
    [[nodiscard]] std::optional<double> total(Judge judge) const;
};

/// The same kernels by several policies, ours first.
struct PolicyComparison {
    std::vector<PolicyResult> policies;

    [[nodiscard]] const PolicyResult& ours() const { return policies.front(); }
    /// That of the others which takes least; null where none has a time.
    [[nodiscard]] const PolicyResult* best_other(Judge judge) const;
    /// Its time over ours; nothing where one of the two has none.
    [[nodiscard]] std::optional<double> speedup(Judge judge) const;
};

/// Judges a network by each of the policies (keys of policy_keys(), "ours" or not) and by ours.
/// Whose framework tunes nothing has one candidate. Throws as judge_network() does, but for plans
/// that a policy does not find.
[[nodiscard]] PolicyComparison
compare_policies(const networks::Graph& graph, const DeviceProfile& profile,
                 const std::vector<std::string>& policies, const JudgingOptions& options,
                 const devices::OpenClDevice* on, const networks::TensorNumbers& inputs,
                 const Progress& progress = {}, const StopToken& stop = {});

} // namespace texelscope::workbench::network_studies
