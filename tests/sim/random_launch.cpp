#include "tests/sim/random_launch.hpp"

#include "sim/options/settings.hpp"
#include "tests/sim/random_case.hpp"
#include "traces/launch_source.hpp"

#include <algorithm>
#include <bit>

namespace texelscope::test {
using namespace sim;

namespace {

/// A coordinate that moves with the variables, now and then through a division or a remainder.
IndexExpr random_coordinate(Random& random, const std::vector<Variable>& items,
                            const std::vector<Variable>& loops, bool regular)
{
    IndexExpr e = random.small(0, 3) - (random.one_in(6) ? 2 : 0);
    if (random.one_in(12)) { // far outside, on the way in or out
        e = random.small(-40, 60);
    }
    const auto term = [&](const Variable& variable) {
        const IndexExpr v(variable);
        switch (random.small(regular && !random.one_in(8) ? 4 : 0, 9)) {
        case 0:
            return floor_div(v + random.small(0, 2), random.small(2, 4));
        case 1:
            return mod(v, random.small(2, 5)) * random.small(1, 2);
        case 2:
            return v * -1 + (random.one_in(2) ? variable.range.max : 0);
        case 3:
        case 4:
            return v * random.pick(std::vector<int>{2, 3, 4, 8});
        default:
            return v;
        }
    };
    for (const Variable& variable : items) {
        if (random.one_in(3)) {
            e = e + term(variable);
        }
    }
    for (const Variable& variable : loops) {
        if (random.one_in(2)) {
            e = e + term(variable);
        }
    }
    // mixes items and loops in one division
    if (random.one_in(regular ? 40 : 12) && !items.empty() && !loops.empty()) {
        e = e + floor_div(IndexExpr(items.front()) + IndexExpr(loops.back()), 2);
    }
    return e;
}

std::vector<Statement> random_body(Random& random, const std::vector<Variable>& items,
                                   std::vector<Variable> loops, int images, int depth,
                                   std::int64_t budget, bool regular)
{
    std::vector<Statement> body;
    const int statements = random.small(1, depth == 0 ? 3 : 2);
    for (int i = 0; i < statements; ++i) {
        if (depth > 0 && (i == 0 || random.one_in(3))) {
            const std::int64_t most = std::max<std::int64_t>(1, budget);
            const std::int64_t extent = random.between(regular ? (most + 1) / 2 : 1, most);
            const int slot = slots::first_loop_slot + static_cast<int>(loops.size());
            const Variable variable{slot, "v" + std::to_string(slot), {0, extent - 1}};
            std::vector<Variable> inner = loops;
            inner.push_back(variable);
            body.emplace_back(Loop{variable, random_body(random, items, inner, images, depth - 1,
                                                         budget / extent, regular)});
        } else {
            body.emplace_back(AccessFunction{random.small(0, images - 1),
                                             random_coordinate(random, items, loops, regular),
                                             random_coordinate(random, items, loops, regular)});
        }
    }
    return body;
}

std::string text_of(const std::vector<Statement>& body, const std::string& indent)
{
    std::string text;
    for (const Statement& statement : body) {
        if (const auto* access = std::get_if<AccessFunction>(&statement)) {
            text += indent + "read image " + std::to_string(access->image) + " at (" +
                    access->x.to_opencl() + ", " + access->y.to_opencl() + ")\n";
        } else if (const auto* work = std::get_if<Work>(&statement)) {
            text += indent + "work " + std::to_string(work->operations) +
                    (work->barrier ? " after a barrier" : "") +
                    ", reads since what it needs: " + std::to_string(work->reads_since) + "\n";
        } else {
            const Loop& loop = std::get<Loop>(statement);
            text += indent + "for " + loop.variable.name + " < " + std::to_string(loop.extent()) +
                    "\n" + text_of(loop.body, indent + "  ");
        }
    }
    return text;
}

} // namespace

LaunchCase random_launch_case(Random& random)
{
    // Long simple loops, or many work-groups alike: these come back to the same contents.
    const bool regular = !random.one_in(3);
    const bool long_loops = regular && random.one_in(2);
    const bool many_groups = regular && !long_loops;
    LaunchCase c;
    Launch& launch = c.launch;
    launch.kernel = "random";
    const int images = random.small(1, 3);
    for (int i = 0; i < images; ++i) {
        launch.images.push_back(
            {std::string(1, static_cast<char>('A' + i)),
             {random.small(regular ? 40 : 1, 128), random.small(regular ? 40 : 1, 128)},
             Bytes{random.pick(std::vector<std::int64_t>{4, 8, 16, 16})},
             random.one_in(2) ? AddressMode::border : AddressMode::edge});
    }
    launch.groups = {random.small(1, many_groups ? 32 : 4), random.small(1, long_loops ? 1 : 3),
                     random.one_in(8) ? 2 : 1};
    launch.local = {random.small(1, 10), random.small(1, 3), random.one_in(8) ? 2 : 1};
    const auto ids = work_item_variables(launch.groups, launch.local);
    std::vector<Variable> items(ids.begin(), ids.end());
    if (random.one_in(4)) {
        launch.guards.push_back(
            {IndexExpr(ids[slots::group_x]) * launch.local[0] + IndexExpr(ids[slots::local_x]),
             random.between(1, std::int64_t{launch.groups[0]} * launch.local[0])});
    }
    launch.body = random_body(random, items, {}, images, random.small(1, many_groups ? 2 : 3),
                              long_loops    ? 120
                              : many_groups ? 8
                                            : 32,
                              regular);

    SimulationOptions& o = c.options;
    o.machine.cores = random.small(1, 3);
    o.machine.warp_size = random.one_in(2) ? 1 << random.small(0, 5) : random.small(1, 40);
    o.machine.warps_per_core = 16;
    o.kernel.occupancy = random.small(1, 5);
    o.machine.layout = random.one_in(3) ? LayoutSpec{} : random_layout(random);
    const auto geometry = [&](std::int64_t most_lines) {
        CacheGeometry g = random_geometry(random, most_lines);
        while (regular && !std::has_single_bit(static_cast<std::uint64_t>(g.line.value))) {
            // a line in two images keeps a launch from jumping
            g = random_geometry(random, most_lines);
        }
        return g;
    };
    o.machine.l1().geometry = geometry(16);
    if (random.one_in(3)) {
        o.machine.l2().geometry.capacity = Bytes{0};
    } else {
        o.machine.l2().geometry = geometry(48);
    }
    if (regular && !random.one_in(4)) {
        o.machine.l1().geometry.index = o.machine.l2().geometry.index = SetIndex::modulo;
    }
    if (random.one_in(16)) {
        o.machine.l1().geometry.replacement = ReplacementKind::random;
    }
    o.machine.group_schedule = random.one_in(2) ? GroupSchedule::batch : GroupSchedule::refill;
    return c;
}

std::vector<TraceRow> rows_of(const Launch& launch)
{
    std::vector<TraceRow> rows;
    for (std::int64_t group = 0; group < launch.group_count(); ++group) {
        const auto nx = launch.groups[0];
        const auto ny = launch.groups[1];
        const Dim3 at{static_cast<std::int32_t>(group % nx),
                      static_cast<std::int32_t>(group / nx % ny),
                      static_cast<std::int32_t>(group / (std::int64_t{nx} * ny))};
        for (std::int32_t item = 0; item < launch.group_size(); ++item) {
            const Dim3 local{item % launch.local[0], item / launch.local[0] % launch.local[1],
                             item / (launch.local[0] * launch.local[1])};
            std::uint32_t step = 0;
            for (const ItemRead& read : item_reads(launch, at, local)) {
                rows.push_back(
                    {group, item, step++, static_cast<std::uint16_t>(read.image), read.texel});
            }
        }
    }
    return rows;
}

std::string describe(const LaunchCase& c)
{
    std::string text = "launch of " + std::to_string(c.launch.groups[0]) + "x" +
                       std::to_string(c.launch.groups[1]) + "x" +
                       std::to_string(c.launch.groups[2]) + " groups of " +
                       std::to_string(c.launch.local[0]) + "x" + std::to_string(c.launch.local[1]) +
                       "x" + std::to_string(c.launch.local[2]) + "\n";
    for (const Image& image : c.launch.images) {
        text += "image " + image.name + ":" + std::to_string(image.extent.width) + "x" +
                std::to_string(image.extent.height) + "x" +
                std::to_string(image.bytes_per_texel.value) +
                (image.address_mode == AddressMode::edge ? " clamped to its edge\n" : "\n");
    }
    for (const Guard& guard : c.launch.guards) {
        text +=
            "only where " + guard.value.to_opencl() + " < " + std::to_string(guard.bound) + "\n";
    }
    for (const Setting& setting : settings(c.options.machine)) {
        const bool further = setting.key.starts_with("level.");
        if (further || get(c.options, setting.key) != get(SimulationOptions{}, setting.key)) {
            text += "--set " + setting.key + "=" + get(c.options, setting.key) + "\n";
        }
    }
    return text + text_of(c.launch.body, "");
}

} // namespace texelscope::test
