#include "base/error.hpp"
#include "workbench/probes/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::workbench::probes {
namespace {

double multiply_adds(const Arithmetic& kernel)
{
    double items = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        items *= static_cast<double>(kernel.groups[axis]) * kernel.local[axis];
    }
    return items * static_cast<double>(kernel.turns) * kernel.chains * kernel.width;
}

} // namespace

// Reached rates of multiply-adds, by vector width and precision. From the best rate in fp32 follow
// the lanes of a core: rate / (clock * cores).
ProbeResult probe_arithmetic(Target& target, const Known&, const ProbeOptions& options)
{
    const TargetInfo& info = target.info();
    ProbeResult result;
    for (const Storage storage : {Storage::fp32, Storage::fp16}) {
        const std::string name = to_string(storage);
        ProbeCurve curve{name + " rate over vector width", "numbers of a vector",
                         "multiply-adds a second [1e9]", true};
        double best = 0;
        int best_width = 1;
        try {
            for (const int width : {1, 2, 4, 8, 16}) {
                check_stop(options.stop);
                Arithmetic kernel;
                kernel.local = {
                    static_cast<std::int32_t>(std::min<std::int64_t>(info.max_work_group, 256)), 1,
                    1};
                kernel.groups = {32 * info.compute_units, 1, 1};
                // Independent chains, because the latency of a multiply-add is longer than its
                // turn: with a single chain the latency would be measured, and not the rate.
                kernel.chains = std::max(1, 8 / width);
                kernel.width = width;
                kernel.storage = storage;
                kernel.turns = 32768 / (kernel.chains * width);
                ProbePoint point{static_cast<double>(width), {}};
                for (const double ns : target.run(kernel, options.samples)) {
                    point.samples.push_back(multiply_adds(kernel) / ns);
                }
                if (median(point) > best) {
                    best = median(point);
                    best_width = width;
                }
                curve.points.push_back(std::move(point));
            }
        } catch (const Error& error) {
            // Devices need not have half precision; without single precision nothing can be said.
            if (storage == Storage::fp32) {
                throw;
            }
            result.notes.push_back(fmt::format("{}: {}", name, error.what()));
            continue;
        }
        result.curves.push_back(std::move(curve));
        result.findings.push_back(
            {name + ".multiply_adds", best, "1e9/s",
             fmt::format("best with vectors of {}; a multiply-add is two operations", best_width)});
        if (storage == Storage::fp32 && info.clock_mhz > 0) {
            result.findings.push_back(
                {"alu.lanes", best * 1000 / (info.clock_mhz * info.compute_units), "1/cycle",
                 fmt::format("of each of {} cores at {} MHz", info.compute_units, info.clock_mhz)});
        }
    }
    return result;
}

} // namespace texelscope::workbench::probes
