#include "workbench/machines/machine_set.hpp"

#include "model/statistics/least_deviation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace texelscope::workbench::machines {
namespace {

/// Choices are told by how few of them have the weight: exp(entropy) of them, as if alike.
MachineSet::Value choice_of(const Unknown& unknown, const std::vector<double>& places,
                            const std::vector<double>& weights)
{
    std::vector<std::pair<double, std::string>> share; // by choice
    for (const std::string& choice : unknown.choices) {
        share.emplace_back(0, choice);
    }
    double all = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::string text = unknown.text(places[i]);
        std::ranges::find(share, text, &std::pair<double, std::string>::second)->first +=
            weights[i];
        all += weights[i];
    }
    double entropy = 0;
    for (const auto& [weight, choice] : share) {
        entropy -= weight > 0 ? weight / all * std::log(weight / all) : 0;
    }
    const auto count = static_cast<double>(share.size());
    MachineSet::Value value{
        unknown.key, (std::exp(entropy) - 1) / std::max(1.0, count - 1), {}, {}};
    std::ranges::stable_sort(share, std::greater<>(), &std::pair<double, std::string>::first);
    value.low = share.front().second;
    value.high = share.size() > 1 && share[1].first > 0.1 * all ? share[1].second : value.low;
    return value;
}

bool are_numbers(const std::vector<std::string>& texts)
{
    return std::ranges::all_of(texts, [](const std::string& text) {
        return !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
    });
}

} // namespace

MachineSet::Value value_of(const Unknown& unknown, const std::vector<double>& places,
                           const std::vector<double>& weights)
{
    std::vector<std::pair<double, double>> weighted;
    for (std::size_t i = 0; i < places.size(); ++i) {
        weighted.emplace_back(places[i], weights[i]);
    }
    const double low = weighted_quantile(weighted, 0.1);
    const double high = weighted_quantile(weighted, 0.9);
    if (unknown.is_choice()) {
        MachineSet::Value value = choice_of(unknown, places, weights);
        if (are_numbers(unknown.choices)) {
            value.low = unknown.text(low);
            value.high = unknown.text(high);
        }
        return value;
    }
    constexpr double prior = 0.8; // of the range, 10 to 90 %
    return {unknown.key, std::min(1.0, (high - low) / prior), unknown.text(low),
            unknown.text(high)};
}

std::vector<PricedMachine> priced_machines(const MachineSet& all, const DeviceProfile& profile)
{
    const auto by_hand = [&](const std::string& key) {
        const auto value = profile.values.find(key);
        return value != profile.values.end() && value->second.source == override_source;
    };
    std::vector<PricedMachine> machines;
    for (std::size_t m = 0; m < all.machines.size(); ++m) {
        PricedMachine made{.device = profile, .reads = std::to_string(m)};
        made.device.values.clear();
        for (std::size_t i = 0; i < all.values.size(); ++i) {
            const std::string& key = all.values[i].key;
            if (!by_hand(key)) {
                set_option(made.device, key, all.machines[m].values[i]);
            }
        }
        validate(made.device.simulation);
        machines.push_back(std::move(made));
    }
    return machines;
}

} // namespace texelscope::workbench::machines
