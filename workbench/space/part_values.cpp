#include "workbench/space/part_values.hpp"

#include "codegen/nest/framework_layout.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/schedule_parts.hpp"
#include "workbench/space/kernel_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace texelscope::workbench::space {
namespace {

constexpr std::int64_t most_written_out = 32; ///< iterations

std::int64_t multiply_adds(const std::vector<NestStatement>& body)
{
    std::int64_t count = 0;
    for (const NestStatement& statement : body) {
        if (const auto* const loop = std::get_if<NestLoop>(&statement)) {
            count += multiply_adds(loop->body);
        } else {
            count += std::holds_alternative<NestMultiplyAdd>(statement) ? 1 : 0;
        }
    }
    return count;
}

/// Iterations of loops together, with the tile that leaves them the most; very many where they
/// cannot be written out.
std::int64_t iterations(const Operator& op, const std::vector<std::string>& loops)
{
    std::int64_t most = 1;
    for (const auto& tile : packing_tiles(op)) {
        Schedule schedule = op.default_schedule;
        schedule.tile = tile;
        schedule.eliminate_addresses = false;
        if (!is_legal(op, schedule)) { // what texels hold may be given
            continue;
        }
        const std::int64_t turn = multiply_adds(loop_nest(op, schedule).body);
        schedule.unroll = loops;
        if (!is_legal(op, schedule)) {
            return std::numeric_limits<std::int64_t>::max();
        }
        most = std::max(most, multiply_adds(loop_nest(op, schedule).body) /
                                  std::max<std::int64_t>(1, turn));
    }
    return most;
}

/// The reduction loops that have more than one iteration under some tile. The others are as good as
/// written out, wherever they stand.
std::vector<std::string> loops_that_turn(const Operator& op)
{
    std::vector<std::string> loops;
    std::ranges::copy_if(op.reduction_loops, std::back_inserter(loops),
                         [&](const std::string& loop) { return iterations(op, {loop}) > 1; });
    return loops;
}

std::string listed(const std::vector<std::string>& names)
{
    return fmt::format("{}", fmt::join(names, ","));
}

// Orders of the loops that turn; loops of a single iteration come first, since their place does not
// matter. The first permutation is the default ("").
std::vector<std::string> orders(const Operator& op)
{
    const std::vector<std::string> turning = loops_that_turn(op);
    std::vector<std::string> single;
    std::ranges::copy_if(
        op.reduction_loops, std::back_inserter(single),
        [&](const std::string& loop) { return std::ranges::find(turning, loop) == turning.end(); });
    std::vector<std::size_t> order(turning.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::vector<std::string> values{""};
    while (std::next_permutation(order.begin(), order.end())) {
        std::vector<std::string> names = single;
        for (const std::size_t i : order) {
            names.push_back(turning[i]);
        }
        values.push_back(listed(names));
    }
    return values;
}

std::vector<std::string> loops_to_write_out(const Operator& op)
{
    const std::vector<std::string> turning = loops_that_turn(op);
    std::vector<std::string> values{""};
    for (std::size_t set = 1; set < std::size_t{1} << turning.size(); ++set) {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < turning.size(); ++i) {
            if ((set >> i & 1U) != 0) {
                names.push_back(turning[i]);
            }
        }
        if (iterations(op, names) <= most_written_out) {
            values.push_back(listed(names));
        }
    }
    return values;
}

std::vector<std::string> memories(std::size_t tensors)
{
    std::vector<std::string> values{""};
    for (std::size_t set = 1; set < std::size_t{1} << tensors; ++set) {
        std::vector<std::string> words;
        for (std::size_t tensor = 0; tensor < tensors; ++tensor) {
            words.push_back(to_string((set >> tensor & 1U) != 0 ? Memory::buffer : Memory::image));
        }
        values.push_back(listed(words));
    }
    return values;
}

/// The framework's layout of every tensor that it has one for.
std::vector<std::string> frameworks(const Operator& op)
{
    const std::vector<std::string>& names = framework_layout_names();
    std::vector<std::string> values{""};
    for (std::size_t layout = 1; layout < names.size(); ++layout) { // 0 is own
        std::vector<std::string> words;
        for (std::size_t tensor = 0; tensor <= op.inputs.size(); ++tensor) {
            const Tensor& of = tensor < op.inputs.size() ? op.inputs[tensor] : op.output;
            words.push_back(
                names[has_layout(static_cast<FrameworkLayout>(layout), of) ? layout : 0]);
        }
        if (std::ranges::count(words, names[layout]) > 0) {
            values.push_back(listed(words));
        }
    }
    return values;
}

std::vector<std::string> words(char part)
{
    const SchedulePart& of = schedule_part(part);
    std::vector<std::string> values{""};
    std::ranges::copy_if(of.words, std::back_inserter(values),
                         [&](const std::string& word) { return word != of.absent; });
    return values;
}

/// What T's first two sizes cut.
std::array<std::int64_t, 2> tiled_extent(const Operator& op)
{
    const auto& extents = op.grid.tiled.empty() ? op.grid.extents : op.grid.tiled;
    return {extents[0], extents[1]};
}

std::vector<std::int32_t> sides_within(const std::vector<std::int32_t>& sides, std::int64_t extent)
{
    std::vector<std::int32_t> kept;
    std::copy_if(sides.begin(), sides.end(), std::back_inserter(kept),
                 [&](std::int32_t side) { return side <= power_of_two_from(extent); });
    return kept;
}

} // namespace

std::vector<std::string> part_values(const Operator& op, char part)
{
    switch (part) {
    case 'L':
        return orders(op);
    case 'U':
        return loops_to_write_out(op);
    case 'R':
        return {"", "4", "16", "64"};
    case 'S':
        return {"", "4", "8", "16", "32"};
    case 'M':
        return memories(op.inputs.size() + 1);
    case 'V':
        return {"", "8", "16"};
    case 'D':
        return {"", "8x1", "1x8", "4x4", "8x8", "1x16"};
    case 'F':
        return frameworks(op);
    default:
        return words(part);
    }
}

// Tiles of 1 or 4 along x and y: these decide which dimension fills a texel, on which much of what
// is legal depends.
std::vector<std::vector<std::int32_t>> packing_tiles(const Operator& op)
{
    constexpr std::int32_t texel = 4;
    std::vector<std::vector<std::int32_t>> tiles;
    for (const std::int32_t x : {1, texel}) {
        for (const std::int32_t y : {1, texel}) {
            if (x % op.grid.tile_multiple == 0) {
                tiles.push_back({x, y});
            }
        }
    }
    return tiles;
}

bool is_legal_with_some_tile(const Operator& op, Schedule schedule)
{
    return std::ranges::any_of(packing_tiles(op), [&](const auto& tile) {
        schedule.tile = tile;
        return is_legal(op, schedule);
    });
}

std::vector<std::vector<AccessPattern>> pattern_choices(std::span<const AccessPattern> patterns,
                                                        std::size_t inputs)
{
    std::vector<std::vector<AccessPattern>> choices{{}};
    for (std::size_t input = 0; input < inputs; ++input) {
        std::vector<std::vector<AccessPattern>> longer;
        for (const auto& choice : choices) {
            for (const AccessPattern pattern : patterns) {
                longer.push_back(choice);
                longer.back().push_back(pattern);
            }
        }
        choices = std::move(longer);
    }
    return choices;
}

std::vector<std::vector<std::int32_t>> tile_choices(const Operator& op, const SpaceOptions& options)
{
    if (options.parts.find('T') == std::string::npos) {
        return {op.default_schedule.tile};
    }
    const bool deep = op.grid.extents.size() > 2;
    const auto [width, height] = tiled_extent(op);
    const std::int32_t multiple = op.grid.tile_multiple;
    std::vector<std::vector<std::int32_t>> tiles;
    for (const std::int32_t tz :
         deep ? sides_within(options.tile_depths, op.grid.extents[2]) : std::vector{1}) {
        for (const std::int32_t ty : sides_within(options.tile_sides, height)) {
            for (const std::int32_t tx :
                 sides_within(options.tile_sides, std::max<std::int64_t>(width, multiple))) {
                if (tx % multiple == 0) {
                    tiles.push_back(tz > 1 ? std::vector{tx, ty, tz} : std::vector{tx, ty});
                }
            }
        }
    }
    return tiles;
}

std::vector<KernelChoice> further_choices(const SpaceOptions& options, const KernelChoice& base)
{
    std::vector<KernelChoice> all{base};
    for (const SchedulePart& part : schedule_parts()) {
        const auto values = options.values.find(part.key);
        if (values == options.values.end()) {
            continue;
        }
        std::vector<KernelChoice> longer;
        for (const KernelChoice& kernel : all) {
            for (const std::string& value : values->second) {
                longer.push_back(kernel);
                if (!value.empty()) {
                    part.read(longer.back(), value, fmt::format("choices of part {}", part.key));
                }
            }
        }
        all = std::move(longer);
    }
    return all;
}

} // namespace texelscope::workbench::space
