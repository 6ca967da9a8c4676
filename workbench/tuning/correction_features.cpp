#include "workbench/tuning/correction_features.hpp"

#include "model/bottleneck/bottleneck.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace texelscope::workbench::tuning {
namespace {

double log_of(double value)
{
    return std::log(std::max(value, 1e-9));
}

double log_of(std::int64_t count)
{
    return log_of(static_cast<double>(count));
}

std::vector<double> costs_of(const ModelKernel& kernel, Nanoseconds predicted)
{
    const ModelKernel::Rounds& rounds = kernel.rounds.value();
    const BottleneckCost cost =
        bottleneck_cost(rounds.stream, rounds.grid, rounds.options, rounds.model);
    const WorkGrid& grid = rounds.grid;
    const double cycles = std::max(cost.cycles, 1e-9);
    double reads = 0;
    for (const ReadStream::Read& read : rounds.stream.reads) {
        reads += read.count;
    }
    double stored = 0;
    for (const ReadStream::Input& input : rounds.stream.inputs) {
        stored += input.stored_bytes;
    }
    const std::int64_t items = grid.group[0] * grid.group[1] * grid.group[2] * grid.split;
    return {
        log_of(predicted.value),
        cost.latency / cycles,
        cost.issue / cycles,
        cost.texture_unit / cycles,
        cost.cache_bandwidth() / cycles,
        cost.memory_bandwidth / cycles,
        cost.outstanding_misses / cycles,
        log_of(cost.waves),
        log_of(cost.resident_warps),
        log_of(reads),
        log_of(stored),
        log_of(kernel.work_groups),
        log_of(items),
        log_of(grid.tiles[0]),
        log_of(grid.tiles[1]),
        static_cast<double>(rounds.options.kernel.registers_per_item.value_or(0)),
        rounds.stream.code.cycles / std::max(1.0, rounds.stream.code.reads),
    };
}

std::vector<double> parts_of(const Schedule& schedule)
{
    std::vector<double> parts;
    constexpr std::size_t axes = 3;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        parts.push_back(axis < schedule.tile.size() ? log_of(std::int64_t{schedule.tile[axis]})
                                                    : 0);
        parts.push_back(log_of(schedule.turns_along(axis)));
        parts.push_back(log_of(std::int64_t{schedule.group[axis]}));
    }
    parts.push_back(log_of(std::int64_t{schedule.warp[0]}));
    parts.push_back(log_of(std::int64_t{schedule.warp[1]}));
    parts.push_back(log_of(std::int64_t{schedule.split}));
    parts.push_back(log_of(std::int64_t{std::max(1, schedule.stage)}));
    parts.push_back(schedule.vector);
    parts.push_back(static_cast<double>(schedule.unroll.size()));
    // Memory and pattern of up to three inputs; -1 where there is none. Then the output.
    constexpr std::size_t inputs = 3;
    for (std::size_t i = 0; i < inputs; ++i) {
        const bool there = i < schedule.patterns.size();
        parts.push_back(there ? static_cast<double>(schedule.memory_of(i)) : -1);
        parts.push_back(there ? static_cast<double>(schedule.patterns[i]) : -1);
    }
    parts.push_back(static_cast<double>(schedule.memory_of(schedule.patterns.size())));
    parts.push_back(static_cast<double>(schedule.output));
    parts.push_back(static_cast<double>(schedule.storage));
    parts.push_back(static_cast<double>(schedule.sums));
    parts.push_back(static_cast<double>(axes_of(schedule.numbering)[0]));
    return parts;
}

} // namespace

Eigen::VectorXd correction_features(const Schedule& schedule, const ModelKernel& kernel,
                                    Nanoseconds predicted)
{
    std::vector<double> values = costs_of(kernel, predicted);
    const std::vector<double> parts = parts_of(schedule);
    values.insert(values.end(), parts.begin(), parts.end());
    return Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values));
}

} // namespace texelscope::workbench::tuning
