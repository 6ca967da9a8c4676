#include "experiments/judges/judge_agreement.hpp"

#include "base/averages.hpp"
#include "experiments/shared/choices.hpp"
#include "model/statistics/kendall.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace texelscope::experiments {

Agreement agreement_of(std::span<const double> judge, std::span<const double> truth)
{
    Agreement agreement{kendall_tau_b(judge, truth), choice_ratio(judge, truth), {}};
    std::vector<double> errors;
    for (std::size_t i = 0; i < judge.size(); ++i) {
        // The larger over the smaller, so that a judge who is half as fast errs as much as one who
        // is twice as slow.
        errors.push_back(std::max(judge[i], truth[i]) / std::min(judge[i], truth[i]) - 1);
    }
    agreement.error = {quantile(errors, 0.1), quantile(errors, 0.5), quantile(errors, 0.9)};
    return agreement;
}

} // namespace texelscope::experiments
