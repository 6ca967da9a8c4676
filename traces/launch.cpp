#include "traces/launch.hpp"

#include <algorithm>

namespace texelscope::traces {
namespace {

/// Runs `visit(access)` for each read in program order, with `values` holding the loop variables.
template <class Visit>
void for_each_read(const std::vector<Statement>& body, std::vector<std::int64_t>& values, const Visit& visit)
{
    for (const Statement& statement : body) {
        if (const auto* access = std::get_if<AccessFunction>(&statement)) {
            visit(*access);
            continue;
        }
        const Loop& loop = std::get<Loop>(statement);
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

} // namespace

std::array<Variable, 6> work_item_variables(Dim3 groups, Dim3 local)
{
    return {Variable{slots::local_x, "lx", {0, local[0] - 1}},  Variable{slots::local_y, "ly", {0, local[1] - 1}},
            Variable{slots::local_z, "lz", {0, local[2] - 1}},  Variable{slots::group_x, "gx", {0, groups[0] - 1}},
            Variable{slots::group_y, "gy", {0, groups[1] - 1}}, Variable{slots::group_z, "gz", {0, groups[2] - 1}}};
}

std::int64_t reads_per_item(const std::vector<Statement>& body)
{
    std::int64_t reads = 0;
    for (const Statement& statement : body) {
        const auto* loop = std::get_if<Loop>(&statement);
        reads += loop == nullptr ? 1 : loop->extent() * reads_per_item(loop->body);
    }
    return reads;
}

std::vector<ItemRead> item_reads(const Launch& launch, Dim3 group, Dim3 local)
{
    std::vector<std::int64_t> values{local[0], local[1], local[2], group[0], group[1], group[2]};
    for (const Guard& guard : launch.guards) {
        if (guard.value.evaluate(values) >= guard.bound) {
            return {};
        }
    }
    std::vector<ItemRead> reads;
    for_each_read(launch.body, values, [&](const AccessFunction& access) {
        reads.push_back({access.image, Texel{static_cast<std::int32_t>(access.x.evaluate(values)),
                                             static_cast<std::int32_t>(access.y.evaluate(values))}});
    });
    return reads;
}

} // namespace texelscope::traces
