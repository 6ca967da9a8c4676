#include "workbench/network_studies/policies/policy_comparison.hpp"

#include "base/error.hpp"
#include "base/progress.hpp"
#include "workbench/network_studies/policies/layout_policy.hpp"

#include <utility>

namespace texelscope::workbench::network_studies {

std::optional<double> PolicyResult::total(Judge judge) const
{
    return network && network->has(judge) ? network->total(judge) : std::nullopt;
}

const PolicyResult* PolicyComparison::best_other(Judge judge) const
{
    const PolicyResult* best = nullptr;
    for (const PolicyResult& each : policies) {
        const auto total = each.total(judge);
        if (&each != &ours() && total && (best == nullptr || *total < *best->total(judge))) {
            best = &each;
        }
    }
    return best;
}

std::optional<double> PolicyComparison::speedup(Judge judge) const
{
    const PolicyResult* const best = best_other(judge);
    const auto our_time = ours().total(judge);
    return best != nullptr && our_time ? std::optional(*best->total(judge) / *our_time)
                                       : std::nullopt;
}

PolicyComparison compare_policies(const networks::Graph& graph, const DeviceProfile& profile,
                                  const std::vector<std::string>& policies,
                                  const JudgingOptions& options, const devices::OpenClDevice* on,
                                  const networks::TensorNumbers& inputs, const Progress& progress,
                                  const StopToken& stop)
{
    std::vector<std::string> all{"ours"};
    for (const std::string& policy : policies) {
        if (policy != "ours") {
            all.emplace_back(find_policy(policy).key);
        }
    }
    PolicyComparison comparison;
    for (std::size_t i = 0; i < all.size(); ++i) {
        JudgingOptions judging = options;
        judging.search.policy = all[i];
        PolicyResult& result = comparison.policies.emplace_back(PolicyResult{all[i], std::nullopt});
        try {
            result.network = judge_network(graph, profile, judging, on, inputs,
                                           part_progress(progress, i, all.size(), all[i]), stop);
        } catch (const Error& error) { // e.g. an image beyond the device's limit
            if (i == 0 || error.kind() != Error::Kind::bad_input) {
                throw;
            }
            result.why_not = error.what();
        }
    }
    return comparison;
}

} // namespace texelscope::workbench::network_studies
