#include "traces/launch.hpp"

#include <algorithm>

namespace texelscope::traces {
namespace {

/// Runs `visit(access)` for each read of a work-item in program order. `values` holds the values of
/// its variables by slot: the work-item's ids first, then those of the loops around the read.
template <class Visit>
void for_each_read(const std::vector<Statement>& body, std::vector<std::int64_t>& values,
                   const Visit& visit)
{
    for (const Statement& statement : body) {
        if (const auto* access = std::get_if<AccessFunction>(&statement)) {
            visit(*access);
        }
        const auto* const inner = std::get_if<Loop>(&statement);
        if (inner == nullptr) {
            continue;
        }
        const Loop& loop = *inner;
        const auto slot = static_cast<std::size_t>(loop.variable.slot);
        if (values.size() <= slot) {
            values.resize(slot + 1);
        }
        for (std::int64_t i = 0; i < loop.extent(); ++i) {
            values[slot] = i;
            for_each_read(loop.body, values, visit);
        }
    }
}

/// Changes the extent of the loops that have this extent and read something, except of those that
/// lie inside of another such loop.
void set_extent(std::vector<Statement>& body, std::int64_t extent, std::int64_t iterations)
{
    for (Statement& statement : body) {
        auto* const loop = std::get_if<Loop>(&statement);
        if (loop == nullptr || reads_per_item(loop->body) == 0) {
            continue;
        }
        if (loop->extent() == extent) {
            loop->variable.range.max = iterations - 1;
        } else {
            set_extent(loop->body, extent, iterations);
        }
    }
}

std::int64_t longest_extent(const std::vector<Statement>& body)
{
    std::int64_t longest = 1;
    for (const Statement& statement : body) {
        if (const auto* loop = std::get_if<Loop>(&statement);
            loop != nullptr && reads_per_item(loop->body) > 0) {
            longest = std::max({longest, loop->extent(), longest_extent(loop->body)});
        }
    }
    return longest;
}

/// Removes everything except loops of that extent that read something, and the loops around them.
void leave_extent(std::vector<Statement>& body, std::int64_t extent)
{
    std::erase_if(body, [extent](const Statement& statement) {
        const auto* const loop = std::get_if<Loop>(&statement);
        return loop == nullptr || reads_per_item(loop->body) == 0 ||
               (loop->extent() != extent && longest_extent(loop->body) != extent);
    });
    for (Statement& statement : body) {
        if (auto& loop = std::get<Loop>(statement); loop.extent() != extent) {
            leave_extent(loop.body, extent);
        }
    }
}

} // namespace

bool has_barriers(const std::vector<Statement>& body)
{
    return std::ranges::any_of(body, [](const Statement& statement) {
        const auto* const loop = std::get_if<Loop>(&statement);
        const auto* const work = std::get_if<Work>(&statement);
        return loop != nullptr ? has_barriers(loop->body) : work != nullptr && work->barrier;
    });
}

std::array<Variable, 6> work_item_variables(Dim3 groups, Dim3 local)
{
    return {Variable{slots::local_x, "lx", {0, local[0] - 1}},
            Variable{slots::local_y, "ly", {0, local[1] - 1}},
            Variable{slots::local_z, "lz", {0, local[2] - 1}},
            Variable{slots::group_x, "gx", {0, groups[0] - 1}},
            Variable{slots::group_y, "gy", {0, groups[1] - 1}},
            Variable{slots::group_z, "gz", {0, groups[2] - 1}}};
}

std::int64_t reads_per_item(const std::vector<Statement>& body)
{
    std::int64_t reads = 0;
    for (const Statement& statement : body) {
        const auto* loop = std::get_if<Loop>(&statement);
        reads += loop != nullptr ? loop->extent() * reads_per_item(loop->body)
                 : std::holds_alternative<AccessFunction>(statement) ? 1
                                                                     : 0;
    }
    return reads;
}

std::vector<ItemRead> item_reads(const Launch& launch, Dim3 group, Dim3 local)
{
    std::vector<std::int64_t> values{local[0], local[1], local[2], group[0], group[1], group[2]};
    // A guard is a condition under which the kernel does something; other work-items read nothing.
    for (const Guard& guard : launch.guards) {
        if (guard.value.evaluate(values) >= guard.bound) {
            return {};
        }
    }
    std::vector<ItemRead> reads;
    for_each_read(launch.body, values, [&](const AccessFunction& access) {
        reads.push_back(
            {access.image, Texel{static_cast<std::int32_t>(access.x.evaluate(values)),
                                 static_cast<std::int32_t>(access.y.evaluate(values))}});
    });
    return reads;
}

std::int64_t longest_loop(const Launch& launch)
{
    return longest_extent(launch.body);
}

Launch with_longest_loop(Launch launch, std::int64_t iterations)
{
    set_extent(launch.body, longest_loop(launch), iterations);
    return launch;
}

Launch with_longest_loop_alone(Launch launch)
{
    leave_extent(launch.body, longest_loop(launch));
    return launch;
}

} // namespace texelscope::traces
