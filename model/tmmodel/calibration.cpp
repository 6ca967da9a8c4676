#include "model/tmmodel/calibration.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace texelscope::model {

std::vector<WarpSlowdown> warp_slowdowns(const std::vector<WarpSample>& warps,
                                         std::int64_t cache_lines)
{
    std::vector<WarpSlowdown> slowdowns;
    for (const WarpSample& warp : warps) {
        if (warp.lanes == 1) {
            continue;
        }
        const auto one_lane =
            std::find_if(warps.begin(), warps.end(), [&](const WarpSample& other) {
                return other.lanes == 1 && other.pattern.name == warp.pattern.name;
            });
        if (one_lane == warps.end()) {
            throw bad_input("no sample of one lane", "pattern " + std::string(warp.pattern.name),
                            "its latency is what the warps are compared with");
        }
        const WarpInput input{.w = warp.lanes, .s = warp.pattern.reuse_distance};
        slowdowns.push_back({warp,
                             {.exponent = thrash_exponent({&input, 1}, cache_lines),
                              .slowdown = warp.per_step / one_lane->per_step}});
    }
    return slowdowns;
}

Calibration fit_calibration(CalibrationSamples samples, std::optional<Regression> regression,
                            std::uint64_t seed)
{
    std::vector<ThrashSample> slowdowns;
    for (const WarpSlowdown& slowdown : warp_slowdowns(samples.warps, samples.cache_lines)) {
        slowdowns.push_back(slowdown.thrash);
    }
    const auto fit = [&](const std::vector<WalkSample>& walks) {
        return regression ? fit_linear_model(walks, *regression, seed)
                          : fit_linear_model(walks, seed);
    };
    Calibration calibration;
    calibration.thread = fit(samples.walks);
    calibration.held_out = held_out_times(samples.walks, calibration.thread.regression, seed);
    if (!samples.fresh_walks.empty()) {
        calibration.reuse_thread = fit(samples.fresh_walks);
        calibration.fresh_held_out =
            held_out_times(samples.fresh_walks, calibration.reuse_thread.regression, seed);
    }
    // A warp of one lane cannot thrash: D stays 1.
    calibration.thrash = slowdowns.empty() ? ThrashDecay{} : fit_thrash_decay(slowdowns, seed);
    calibration.cache_lines = samples.cache_lines;
    calibration.walks = std::move(samples.walks);
    calibration.fresh_walks = std::move(samples.fresh_walks);
    calibration.warps = std::move(samples.warps);
    return calibration;
}

} // namespace texelscope::model
