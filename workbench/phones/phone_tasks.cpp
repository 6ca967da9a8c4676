#include "workbench/phones/phone_tasks.hpp"

#include "base/averages.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "workbench/phones/nearest_profile.hpp"
#include "workbench/store/result_clocks.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace texelscope::workbench::phones {
namespace {

using kernel_logs::Clock;
using kernel_logs::KernelCounts;
using kernel_logs::LoggedKernel;
using kernel_logs::MeasuredRow;

/// Reads of one work-item by image.
void count_reads(const std::vector<Statement>& body, double times, std::vector<double>& reads)
{
    for (const Statement& statement : body) {
        if (const auto* const access = std::get_if<AccessFunction>(&statement)) {
            reads[static_cast<std::size_t>(access->image)] += times;
        } else if (const auto* const loop = std::get_if<Loop>(&statement)) {
            count_reads(loop->body, times * static_cast<double>(loop->extent()), reads);
        }
    }
}

double product(const auto& sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), 1.0, std::multiplies<>());
}

KernelCounts counts_of(const LoopNest& nest, const Schedule& schedule)
{
    const Launch launch = launch_of(nest);
    KernelCounts counts;
    counts.groups = product(launch.groups);
    counts.group_size = product(launch.local);
    counts.work_items = counts.groups * counts.group_size;
    counts.outputs = product(schedule.tile);
    std::vector<double> reads(std::max<std::size_t>(launch.images.size(), 1), 0.0);
    count_reads(launch.body, 1, reads);
    counts.data_reads = reads.front() * counts.work_items;
    counts.weight_reads = std::accumulate(reads.begin() + 1, reads.end(), 0.0) * counts.work_items;
    counts.multiply_adds = nest.flops / 2;
    counts.iterations = counts.multiply_adds / std::max(1.0, counts.work_items * counts.outputs);
    counts.bytes_per_texel = schedule.storage == Storage::fp16 ? 8 : 16;
    counts.half_sums = nest.half_sums.has_value();
    const auto side = [](const auto& sizes, std::size_t axis) {
        return axis < sizes.size() ? static_cast<double>(sizes[axis]) : 1.0;
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        counts.tile[axis] = side(schedule.tile, axis);
        counts.group[axis] = side(launch.local, axis);
    }
    return counts;
}

} // namespace

std::vector<MeasuredTask> tasks_of_results(const std::vector<StoredResult>& results,
                                           const std::string& device,
                                           std::map<std::string, std::int64_t>& left_out)
{
    std::vector<StoredResult> measured;
    for (const StoredResult& result : results) {
        if (result.key.judge == "device" && result.status == RunStatus::ok) {
            measured.push_back(result);
        } else {
            ++left_out["results that did not run on a device with a right output"];
        }
    }
    const std::vector<ResultClock> clocks = result_clocks(measured);
    std::map<std::string, std::string> profiles; // by device
    std::map<std::tuple<std::string, std::string, std::string>, std::size_t> task_places;
    std::map<std::pair<std::size_t, std::string>, std::size_t> row_places;
    std::vector<MeasuredTask> tasks;
    std::vector<std::vector<std::vector<double>>> times; // by task and row
    for (std::size_t i = 0; i < measured.size(); ++i) {
        const StoredResult& result = measured[i];
        const auto [profile, fresh_device] = profiles.try_emplace(result.key.device, device);
        if (fresh_device && device.empty()) {
            OpenClDeviceInfo named;
            named.name = result.key.device;
            profile->second = described_by(named);
        }
        if (profile->second.empty() || !clocks[i].highest()) {
            ++left_out[profile->second.empty()
                           ? "results of a device without a profile (--device names one)"
                           : "results not measured at the highest clock"];
            continue;
        }
        const Schedule schedule = parse_schedule(result.config);
        const Operator op = parse_operator(result.op, result.shape, result.padding);
        const KernelCounts counts = counts_of(loop_nest(op, schedule), schedule);
        const std::string dtype = dtype_of(counts);
        const auto [at, fresh] =
            task_places.try_emplace({profile->second, to_string(op), dtype}, tasks.size());
        if (fresh) {
            MeasuredTask task{profile->second, "texelscope", result.op, result.shape,
                              result.padding,  dtype,        {},        Clock::fast};
            task.fewest = 5;
            tasks.push_back(std::move(task));
            times.emplace_back();
        }
        const auto [row, fresh_row] =
            row_places.try_emplace({at->second, result.config}, tasks[at->second].kernels.size());
        if (fresh_row) {
            LoggedKernel kernel{result.op, result.shape, result.padding, result.config, counts};
            tasks[at->second].kernels.push_back(
                {std::move(kernel), result.config, 0, 0, Clock::fast});
            times[at->second].emplace_back();
        }
        times[at->second][row->second].push_back(result.median_ns());
    }
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        for (std::size_t k = 0; k < tasks[t].kernels.size(); ++k) {
            tasks[t].kernels[k].ns = base::median(times[t][k]);
        }
    }
    return tasks;
}

} // namespace texelscope::workbench::phones
