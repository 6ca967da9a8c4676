// Fits the values of a profile that no probe measures to the times of small kernels: what
// instructions and stores cost, reads in flight, lanes and the start of a launch. The error is the
// root mean square of the logarithms of measured over predicted time, so that being off by a factor
// counts the same for short and long kernels.

#include "workbench/probes/profile/fitted_profile.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "workbench/study/checked_run.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/tuning/baseline_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace texelscope::workbench::probes {
namespace {

std::string unit_of(const std::string& key)
{
    const auto& keys = profile_keys();
    return std::ranges::find(keys, key, &Setting::key)->unit;
}

double number_in(const DeviceProfile& profile, const std::string& key)
{
    return std::stod(get(profile.simulation, key));
}

} // namespace

std::vector<TimedKernel> kernels_to_fit()
{
    struct Shapes {
        const char* op;
        const char* shape;
        std::vector<const char*> configurations;
    };
    const std::vector<Shapes> rows{
        {"matmul", "32,32,4", {"A=row,row;T=4x4;W=1x1;G=8x8x1"}},   // hardly more than a launch
        {"matmul", "256,256,4", {"A=row,row;T=1x1;W=1x1;G=8x8x1"}}, // writes above all
        {"matmul",
         "160,128,96",
         {"A=row,row;T=1x1;W=1x1;G=8x8x1", "A=column,row;T=2x2;W=1x1;G=8x8x1",
          "A=row,column;T=4x2;W=1x1;G=8x8x1", "A=block4,row;T=4x4;W=1x1;G=4x8x1",
          "A=row,block2;T=8x4;W=1x1;G=4x4x1", "A=row,row;T=8x8;W=1x1;G=4x4x1"}},
        {"conv2d",
         "1,16,16,16,32,3,3,1",
         {"A=row,row;T=1x1;W=1x1;G=8x8x1", "A=block2,row;T=2x4;W=1x1;G=4x4x1",
          "A=row,block4;T=4x4;W=1x1;G=4x4x1", "A=column,row;T=8x2;W=1x1;G=4x8x1"}},
        {"dwconv2d",
         "1,32,32,16,3,3,1",
         {"A=row,row;T=1x1;W=1x1;G=8x8x1", "A=column,block4;T=2x2;W=1x1;G=8x4x1",
          "A=row,block8;T=4x2;W=1x1;G=4x8x1", "A=row,row;T=4x8;W=1x1;G=4x4x1"}},
        {"softmax", "192,160", {"A=row;T=4x1;W=1x1;G=1x16x1", "A=row;T=8x2;W=1x1;G=1x16x1"}},
        {"layernorm",
         "192,160",
         {"A=row,row,row;T=4x2;W=1x1;G=1x16x1", "A=block4,row,row;T=8x4;W=1x1;G=1x16x1"}},
    };
    std::vector<TimedKernel> kernels;
    for (const Shapes& row : rows) {
        const Operator op = parse_operator(row.op, row.shape, "");
        for (const char* configuration : row.configurations) {
            kernels.push_back({op, parse_schedule(configuration), {}});
        }
    }
    return kernels;
}

std::vector<TimedKernel> timed_kernels(std::vector<TimedKernel> kernels, const OpenClDevice& device,
                                       std::uint64_t seed, const Progress& progress,
                                       const StopToken& stop)
{
    RunOptions options;
    options.samples = 25;
    options.budget_seconds = 0.3;
    options.stop = stop;
    std::vector<TimedKernel> timed;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        tell(progress, "measuring the device", i, kernels.size());
        check_stop(stop);
        TimedKernel& kernel = kernels[i];
        const auto inputs = random_inputs(kernel.op, seed);
        const CheckedRun run = run_checked(kernel.op, loop_nest(kernel.op, kernel.schedule), device,
                                           inputs, make_reference(kernel.op, inputs), options);
        kernel.time = Nanoseconds{run.measurement.median_ns()};
        if (run.check.passed && kernel.time.value > 0) {
            timed.push_back(kernel);
        }
    }
    return timed;
}

double log_error(const DeviceProfile& profile, const std::vector<TimedKernel>& kernels,
                 const StopToken& stop)
{
    double sum = 0;
    for (const TimedKernel& kernel : kernels) {
        const Ranking one = rank_by_model(
            {kernel.op, profile, space_of({kernel.schedule}), {}, ModelVariant::bottleneck, stop},
            1);
        const double off = std::log(kernel.time.value / one.best.front().cost.value);
        sum += off * off;
    }
    return std::sqrt(sum / static_cast<double>(kernels.size()));
}

DeviceProfile fitted_profile(DeviceProfile base, const std::vector<TimedKernel>& kernels,
                             const std::string& where, const StopToken& stop)
{
    if (kernels.empty()) {
        throw bad_input("no kernel ran with a right output", where, "choose another device");
    }
    // Values of the profile that are fitted, with where the search starts; `whole` ones change
    // by factors of 2.
    struct Key {
        const char* key;
        double first;
        bool whole;
    };
    constexpr std::array<Key, 6> keys{{{"alu.lanes", 8, false},
                                       {"issue.store", 100, false},
                                       {"issue.exponential", 20, false},
                                       {"issue.read", 2, false},
                                       {"issue.reads_in_flight", 16, true},
                                       {"launch", 5000, false}}};
    const auto with = [&](DeviceProfile profile, const Key& key, double value,
                          const std::string& source) {
        const std::string text =
            key.whole ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
        set_value(profile, key.key, {text, unit_of(key.key), Provenance::identified, source});
        return profile;
    };
    for (const Key& key : keys) {
        base = with(std::move(base), key, key.first, "to be fitted");
    }
    // Descent by one value at a time; by the lanes with what an instruction count is over them,
    // which moves multiply-adds alone; and the same where more reads under way make up for it.
    struct Move {
        std::size_t key;
        bool inverse = false;
    };
    const std::vector<std::vector<Move>> directions{{{0}},
                                                    {{1}},
                                                    {{2}},
                                                    {{3}},
                                                    {{4}},
                                                    {{5}},
                                                    {{0}, {1}, {2}, {3}},
                                                    {{0}, {1}, {2}, {3}, {4, true}}};
    const auto moved = [&](const std::vector<Move>& direction,
                           double factor) -> std::optional<DeviceProfile> {
        DeviceProfile tried = base;
        for (const Move& move : direction) {
            const Key& key = keys[move.key];
            const double by = move.inverse ? 1 / factor : factor;
            const double value = number_in(base, key.key) * (key.whole ? (by > 1 ? 2 : 0.5) : by);
            if (value < 0.25 || value > 1e6 || (key.whole && (value < 1 || value > 64))) {
                return std::nullopt;
            }
            tried = with(std::move(tried), key, value, "to be fitted");
        }
        return tried;
    };
    double error = log_error(base, kernels, stop);
    constexpr std::array<double, 6> steps{2, 2, 1.4142, 1.4142, 1.1892, 1.1892};
    for (const double step : steps) {
        for (const auto& direction : directions) {
            for (const double factor : {step, 1 / step}) {
                for (bool better = true; better;) {
                    const std::optional<DeviceProfile> tried = moved(direction, factor);
                    const double off = tried ? log_error(*tried, kernels, stop) : error;
                    better = off < error - 1e-4;
                    if (better) {
                        error = off;
                        base = *tried;
                    }
                }
            }
        }
    }
    const std::string source = fmt::format("measured here: explains the times of {} small kernels "
                                           "on {} best (root mean square of the log error {:.2f})",
                                           kernels.size(), where, error);
    for (const Key& key : keys) {
        base = with(std::move(base), key, number_in(base, key.key), source);
    }
    return base;
}

} // namespace texelscope::workbench::probes
