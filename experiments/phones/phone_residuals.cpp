#include "experiments/phones/phone_residuals.hpp"

#include "base/averages.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace texelscope::experiments {

std::vector<PhoneResidual> residuals_by_trait(const std::vector<std::vector<std::string>>& traits,
                                              std::span<const double> judged,
                                              std::span<const double> measured)
{
    std::set<std::string> all;
    for (const std::vector<std::string>& of_kernel : traits) {
        all.insert(of_kernel.begin(), of_kernel.end());
    }
    const std::size_t enough = std::max<std::size_t>(5, traits.size() / 10);
    std::vector<PhoneResidual> residuals;
    for (const std::string& trait : all) {
        std::vector<double> with, without;
        for (std::size_t i = 0; i < traits.size(); ++i) {
            const bool has = std::ranges::find(traits[i], trait) != traits[i].end();
            (has ? with : without).push_back(judged[i] / measured[i]);
        }
        if (with.size() >= enough && without.size() >= enough) {
            residuals.push_back({trait, std::ssize(with), median(with), median(without)});
        }
    }
    std::ranges::stable_sort(residuals, std::greater{}, [](const PhoneResidual& residual) {
        return std::abs(std::log(residual.with / residual.without));
    });
    return residuals;
}

} // namespace texelscope::experiments
