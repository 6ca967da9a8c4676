#include "model/tmmodel/thrash_decay.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace texelscope::model {
namespace {

constexpr std::size_t least_walks = 4; // of which one is held out

void require_usable(const std::vector<ThrashSample>& samples)
{
    if (samples.size() < least_walks) {
        throw bad_input(fmt::format("{} samples are too few", samples.size()),
                        "fit of the thrash decay", fmt::format("give at least {}", least_walks));
    }
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (!(samples[i].slowdown > 0) || !std::isfinite(samples[i].slowdown) ||
            samples[i].exponent < 0) {
            throw bad_input("its slowdown is not positive or its exponent is negative",
                            fmt::format("thrash sample {}", i));
        }
    }
}

FitError error_of(const ThrashDecay& decay, const std::vector<ThrashSample>& samples,
                  const std::vector<std::size_t>& which)
{
    std::vector<double> truth;
    std::vector<double> predicted;
    for (const std::size_t i : which) {
        truth.push_back(samples[i].slowdown);
        predicted.push_back(decay.slowdown(samples[i].exponent));
    }
    return fit_error(truth, predicted);
}

} // namespace

std::int64_t thrash_exponent(std::span<const WarpInput> inputs, std::int64_t cache_lines)
{
    if (cache_lines <= 0) {
        throw bad_input(fmt::format("a cache of {} lines", cache_lines), "thrash exponent");
    }
    std::int64_t live_lines = 0;
    for (const WarpInput& input : inputs) {
        if (input.w < 0 || input.s < 0) {
            throw bad_input("a negative width or reuse distance", "thrash exponent");
        }
        live_lines += input.w * input.s;
    }
    // ceil((n - C) / C) = ceil(n / C) - 1, which is -1 for n = 0 alone.
    return std::max<std::int64_t>(0, (live_lines + cache_lines - 1) / cache_lines - 1);
}

double ThrashDecay::slowdown(std::int64_t exponent) const
{
    return std::pow(d, static_cast<double>(exponent));
}

ThrashDecay fit_thrash_decay(const std::vector<ThrashSample>& samples, std::uint64_t seed)
{
    require_usable(samples);
    const HoldOut split = hold_out_quarter(samples.size(), seed);
    double products = 0;
    double squares = 0;
    for (const std::size_t i : split.training) {
        const auto exponent = static_cast<double>(samples[i].exponent);
        products += exponent * std::log(samples[i].slowdown);
        squares += exponent * exponent;
    }
    ThrashDecay decay;
    decay.d = squares > 0 ? std::max(1.0, std::exp(products / squares)) : 1.0;
    decay.training = error_of(decay, samples, split.training);
    decay.held_out = error_of(decay, samples, split.held_out);
    return decay;
}

} // namespace texelscope::model
