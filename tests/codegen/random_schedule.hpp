#pragma once

#include "base/error.hpp"
#include "codegen/nest/framework_layout.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/matmul.hpp"
#include "codegen/operators/operator.hpp"
#include "tests/base/random.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace texelscope::test {
using namespace codegen;

/// Patterns, tile, warp shape and work-group of a schedule: tiles that are and are not multiples of
/// four, odd work-groups, warp shapes that tile them. `inputs` images.
inline Schedule random_basic_schedule(Random& random, std::size_t inputs, int most_items = 256)
{
    const std::vector<AccessPattern> patterns(all_access_patterns.begin(),
                                              all_access_patterns.end());
    const std::vector<std::int32_t> tiles{1, 2, 3, 4, 5, 8, 12};
    Schedule schedule;
    for (std::size_t i = 0; i < inputs; ++i) {
        schedule.patterns.push_back(random.pick(patterns));
    }
    schedule.tile = {random.pick(tiles), random.pick(tiles)};
    do {
        schedule.warp = {random.small(1, 8), random.small(1, 8)};
        schedule.group = {schedule.warp[0] * random.small(1, 4),
                          schedule.warp[1] * random.small(1, 4), random.one_in(5) ? 2 : 1};
    } while (schedule.group[0] * schedule.group[1] * schedule.group[2] > most_items);
    return schedule;
}

inline Schedule random_matmul_schedule(Random& random, int most_items = 256)
{
    return random_basic_schedule(random, 2, most_items);
}

/// Whether no tensor takes an image larger than 8192x8192 texels: what every device of OpenCL's
/// full profile takes, and Oclgrind; PoCL more or less by the memory of its machine.
inline bool images_fit(const LoopNest& nest)
{
    constexpr std::int32_t most = 8192;
    const auto fits = [](const Operand& operand) {
        return operand.image.extent.width <= most && operand.image.extent.height <= most;
    };
    return fits(nest.output) && std::all_of(nest.inputs.begin(), nest.inputs.end(), fits);
}

/// Draws what work-items share and how they are numbered, split loops, layouts of frameworks, and
/// the precision of sums.
inline void add_layout_parts(Random& random, const Operator& op, Schedule& schedule)
{
    const auto some_of = [&](std::initializer_list<std::int32_t> sizes) {
        std::vector<std::int32_t> drawn;
        for (std::size_t axis = 0; axis < schedule.tile.size(); ++axis) {
            drawn.push_back(random.pick<std::int32_t>(sizes));
        }
        return drawn;
    };
    if (random.one_in(2)) {
        schedule.turns = some_of({1, 2, 3, 4, 8});
    }
    if (random.one_in(3)) {
        schedule.turn = some_of({1, 2, 4, 4, 8});
    }
    if (random.one_in(2)) {
        schedule.numbering = static_cast<Numbering>(random.small(0, 5));
        const Dim3 group = schedule.launched_group();
        schedule.warp = {group[0], group[1]};
    }
    if (random.one_in(2) && !op.reduction_loops.empty()) {
        schedule.order = op.reduction_loops;
        const std::string loop = random.pick(op.reduction_loops);
        schedule.order.insert(schedule.order.begin(),
                              loop + "/" + std::to_string(random.small(1, 3)));
        if (random.one_in(3)) {
            schedule.unroll.push_back(schedule.order.front());
        }
    }
    if (random.one_in(2)) {
        for (std::size_t i = 0; i <= op.inputs.size(); ++i) {
            const Tensor& tensor = i < op.inputs.size() ? op.inputs[i] : op.output;
            const auto layout = static_cast<FrameworkLayout>(random.small(0, 6));
            const bool has = layout != FrameworkLayout::own && has_layout(layout, tensor);
            schedule.frameworks.push_back(has ? layout : FrameworkLayout::own);
        }
    }
    if (schedule.storage == Storage::fp16 && random.one_in(2)) {
        schedule.sums = random.one_in(2) ? Sums::fp32 : Sums::fp16;
    }
}

/// Any legal schedule of an operator, with every option that it takes now and then. A draw that the
/// operator refuses is thrown away; what remains illegal after many draws fails the test that asks
/// for it.
inline Schedule random_schedule(Random& random, const Operator& op, int most_items = 64)
{
    for (int draw = 0; draw < 200; ++draw) {
        Schedule schedule = random_basic_schedule(random, op.inputs.size(), most_items);
        if (op.grid.extents.size() == 3 && random.one_in(2)) {
            schedule.tile = {random.pick<std::int32_t>({1, 2, 3, 4, 8}),
                             random.pick<std::int32_t>({1, 2, 3, 4}), random.small(1, 2)};
        }
        for (const std::string& loop : op.reduction_loops) {
            if (random.one_in(5)) {
                schedule.unroll.push_back(loop);
            }
        }
        if (random.one_in(3)) {
            schedule.order = op.reduction_loops;
            random.shuffle(schedule.order);
        }
        if (random.one_in(4)) {
            schedule.split = random.small(2, 6);
        }
        if (schedule.split == 1 && schedule.group[2] == 1 && random.one_in(4)) {
            schedule.group = {random.pick<std::int32_t>({2, 4, 8}),
                              random.pick<std::int32_t>({1, 2, 4, 8}), 1};
            schedule.warp = {schedule.group[0] / random.pick<std::int32_t>({1, 2}),
                             schedule.group[1]};
            schedule.stage = random.pick<std::int32_t>({4, 8, 16, 24});
        }
        if (random.one_in(2)) {
            for (std::size_t i = 0; i <= op.inputs.size(); ++i) {
                schedule.memory.push_back(random.one_in(2) ? Memory::buffer : Memory::image);
            }
        }
        schedule.storage = random.one_in(4) ? Storage::fp16 : Storage::fp32;
        if (random.one_in(3)) {
            add_layout_parts(random, op, schedule);
        }
        schedule.splat = random.one_in(4);
        if (random.one_in(6)) {
            schedule.vector = random.pick<std::int32_t>({8, 16});
            schedule.tile[0] = schedule.vector;
        }
        schedule.eliminate_addresses = !random.one_in(4);
        try {
            const LoopNest nest = loop_nest(op, parse_schedule(to_string(schedule)));
            if (launch_of(nest).group_size() <= 4 * most_items && nest.values.size() < 150 &&
                images_fit(nest)) {
                return parse_schedule(to_string(schedule));
            }
        } catch (const Error&) {
            continue; // an option that this operator does not take
        }
    }
    throw std::logic_error("no legal schedule of " + to_string(op));
}

/// A small operator of that name: sizes that are prime or not, no multiple of four more often than
/// not, batches, strides.
inline Operator random_operator(Random& random, const std::string& name)
{
    const auto text = [](const std::vector<std::int64_t>& sizes) {
        std::string joined;
        for (const std::int64_t size : sizes) {
            joined += (joined.empty() ? "" : ",") + std::to_string(size);
        }
        return joined;
    };
    const auto is = [&](const char* prefix) { return name.rfind(prefix, 0) == 0; };
    if (is("matmul")) {
        return parse_operator(
            name, text({random.between(1, 40), random.between(1, 40), random.between(1, 40)}));
    }
    if (is("softmax") || is("layernorm")) {
        return parse_operator(name, text({random.between(1, 30), random.between(1, 70)}));
    }
    const std::int64_t stride = random.between(1, 2);
    const std::string padding =
        random.pick<std::string>({"same", "same", "valid", std::to_string(random.between(0, 2))});
    const auto side = [&] { return random.between(4, 10); };
    const auto kernel = [&] { return random.between(1, 4); };
    const auto channels = [&] { return random.between(1, 9); };
    for (int draw = 0; draw < 200; ++draw) {
        try {
            if (is("conv3d")) {
                return parse_operator(name,
                                      text({random.between(1, 2), side(), side(), side(),
                                            channels(), channels(), random.between(1, 3),
                                            random.between(1, 3), random.between(1, 3), stride}),
                                      padding);
            }
            if (is("dwconv2d")) {
                return parse_operator(name,
                                      text({random.between(1, 2), side(), side(), channels(),
                                            kernel(), kernel(), stride}),
                                      padding);
            }
            return parse_operator(name,
                                  text({random.between(1, 2), side(), side(), channels(),
                                        channels(), kernel(), kernel(), stride}),
                                  padding);
        } catch (const Error&) {
            continue; // a kernel that does not fit the image
        }
    }
    throw std::logic_error("no legal shape of " + name);
}

inline Operator random_matmul(Random& random, int largest = 40)
{
    return matmul(random.between(1, largest), random.between(1, largest),
                  random.between(1, largest));
}

} // namespace texelscope::test
