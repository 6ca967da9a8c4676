// Where the rules come from (files of the frameworks' public sources):
//   MNN     source/backend/opencl: core/OpenCLRunningUtils.cpp (localWS2DDefault, level Wide, which
//   MNN's header
//           recommends), execution/image/ConvExecution.cpp, execution/image/MatmulExecution.cpp
//   MACE    mace/runtimes/opencl/core/opencl_helper.cc (TuningOrRun2DKernel, TuningOrRun3DKernel),
//           mace/ops/opencl/image/{conv_2d_1x1,conv_2d_3x3,matmul}.cc
//   TFLite  tensorflow/lite/delegates/gpu/common: tasks/conv_generic.cc (GuessBestParams),
//   task/util.cc
//           (GetRecommendedBlockSizeForConv), workgroup_selection.cc
//           (GenerateWorkGroupSizesAlignedToGrid)
//   base    TMModel (ICS 2025), section 6.4
//   sgemm   the phone-training study (PerCom workshops 2022), section on kernel optimizations

#include "workbench/tuning/baseline_rules.hpp"

#include "base/error.hpp"
#include "workbench/space/factor_space.hpp"
#include "workbench/space/operator_space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace texelscope::workbench::tuning {
namespace {

/// The output as frameworks see it: channels, width, height with the batch. A matrix product has a
/// height of 1 and its rows as width.
struct Shape {
    std::int64_t channels = 1;
    std::int64_t width = 1;
    std::int64_t height = 1;
    bool one_tap = true; ///< a 1x1 kernel
};

Shape shape_of(Baseline baseline, const Operator& op)
{
    if (op.name == "matmul") {
        return {op.shape[1], op.shape[0], 1, true};
    }
    if (op.name == "conv2d") { // N,H,W,CIN,COUT,KH,KW,STRIDE
        return {op.grid.extents[0], op.grid.extents[1], op.grid.extents[2] * op.grid.planes,
                op.shape[5] == 1 && op.shape[6] == 1};
    }
    throw bad_input(fmt::format("{} has no rule for {}", to_string(baseline), op.name), {},
                    "use matmul or conv2d, or the baseline vanilla");
}

/// Activations with neighbours along the width side by side, weights with the input channels along
/// a row; of a matrix product, both in rows as they are.
std::vector<AccessPattern> framework_patterns(const Operator& op)
{
    return op.name == "matmul" ? std::vector{AccessPattern::row, AccessPattern::column}
                               : std::vector{AccessPattern::column, AccessPattern::row};
}

/// A tile of outputs and a group of tiles along channels, width and height, as a schedule.
/// `natural`: lanes run along the channels first, else along the width first.
Schedule schedule_for(const Operator& op, const Dim3& tile, const Dim3& group, bool natural)
{
    Schedule schedule;
    schedule.patterns = framework_patterns(op);
    schedule.tile = {tile[0], tile[1]};
    if (op.grid.extents.size() > 2) {
        schedule.tile.push_back(tile[2]);
    }
    schedule.group = group;
    schedule.warp = {natural ? group[0] : 1, group[1]};
    return schedule;
}

std::int32_t narrow(std::int64_t value)
{
    return static_cast<std::int32_t>(value);
}

void add_once(std::vector<Schedule>& schedules, const Schedule& schedule)
{
    if (std::find(schedules.begin(), schedules.end(), schedule) == schedules.end()) {
        schedules.push_back(schedule);
    }
}

std::vector<Schedule> mnn(const Operator& op, const DeviceProfile& device)
{
    const Shape shape = shape_of(Baseline::mnn, op);
    const std::int64_t limit = device.limits.work_group_size;
    std::vector<Schedule> schedules;
    if (op.name == "matmul") { // one row of four columns; not searched
        const auto rows = narrow(std::min<std::int64_t>(64, limit));
        const auto columns = narrow(std::max<std::int64_t>(limit / 64, 1));
        return {schedule_for(op, {4, 1, 1}, {columns, rows, 1}, true)};
    }
    const std::vector<Dim3> tiles = mnn_tiles(shape.one_tap);
    // Sizes that are tried along a side of the grid: powers of two up to it, and up to 4 in any
    // case.
    const auto is_tried = [](std::int64_t size, std::int64_t extent) {
        return size <= extent || size <= 6;
    };
    for (const Dim3& tile : tiles) {
        // The grid has two sides: channels and width in one, the width running faster; height. A
        // size beyond one row of widths takes whole rows, as many channels as fit.
        const std::int64_t widths = ceil_div(shape.width, tile[1]);
        const std::int64_t first = ceil_div(shape.channels, tile[0]) * widths;
        const std::int64_t second = ceil_div(shape.height, tile[2]);
        for (std::int64_t y = 1; is_tried(y, second); y *= 2) {
            for (std::int64_t x = 1; is_tried(x, first); x *= 2) {
                if (x * y <= limit) {
                    const Dim3 group{narrow(std::max<std::int64_t>(x / widths, 1)),
                                     narrow(std::min(x, widths)), narrow(y)};
                    add_once(schedules, schedule_for(op, tile, group, false));
                }
            }
        }
    }
    return schedules;
}

std::vector<Schedule> mace(const Operator& op, const DeviceProfile& device)
{
    const Shape shape = shape_of(Baseline::mace, op);
    const std::int64_t limit = device.limits.work_group_size;
    std::vector<Schedule> schedules;
    const auto add = [&](const Dim3& tile, std::int64_t x, std::int64_t y, std::int64_t z) {
        if (x > 0 && y > 0 && z > 0 && x * y * z <= limit) {
            add_once(schedules, schedule_for(op, tile, {narrow(x), narrow(y), narrow(z)}, true));
        }
    };
    if (op.name == "matmul") {
        for (std::int64_t y = 2; y <= 256; y *= 2) {
            add({4, 4, 1}, limit / y, y, 1);
        }
        add({4, 4, 1}, limit, 1, 1);
        add({4, 4, 1}, 1, limit, 1);
        return schedules;
    }
    const bool three = op.shape[5] == 3 && op.shape[6] == 3;
    const Dim3 tile{4, three ? 5 : 4, 1};
    const std::int64_t gx = ceil_div(shape.channels, 4);
    const std::int64_t gy = ceil_div(shape.width, tile[1]);
    const std::int64_t gz = shape.height;
    for (const std::int64_t x : {gx, gx / 4, gx / 8, std::int64_t{4}, std::int64_t{1}}) {
        for (const std::int64_t z :
             {gz, gz / 8, gz / 4, std::int64_t{8}, std::int64_t{4}, std::int64_t{1}}) {
            add(tile, x, gy, z);
        }
    }
    return schedules;
}

std::vector<Schedule> tflite(const Operator& op, const DeviceProfile& device)
{
    const Shape shape = shape_of(Baseline::tflite, op);
    Dim3 tile = tflite_tile({shape.channels, shape.width, shape.height}, device);
    if (op.name == "matmul") { // as a convolution over one row
        tile = {tile[0], tile[1] * tile[2], 1};
    }
    const Dim3 grid{narrow(ceil_div(shape.channels, tile[0])),
                    narrow(ceil_div(shape.width, tile[1])),
                    narrow(ceil_div(shape.height, tile[2]))};
    std::vector<Schedule> schedules;
    for (const Dim3& group : tflite_groups(grid, device)) {
        add_once(schedules, schedule_for(op, tile, group, false));
    }
    return schedules;
}

/// One output of a work-item, every input in rows, lanes in their natural order.
std::vector<Schedule> vanilla(const Operator& op, const DeviceProfile& device)
{
    SpaceOptions options;
    options.patterns = {AccessPattern::row};
    options.tile_sides = {1};
    if (op.grid.tile_multiple > 1) { // a work-item computes no less
        options.tile_sides.push_back(op.grid.tile_multiple);
    }
    const ConfigurationSpace space = configuration_space(op, device, options);
    std::vector<Schedule> schedules;
    for (std::int64_t i = 0; i < space.size(); ++i) {
        Schedule schedule = space.at(i);
        schedule.warp = {schedule.group[0], schedule.group[1]};
        if (schedule.tile[1] == 1) {
            add_once(schedules, schedule);
        }
    }
    return schedules;
}

/// Naive: an output of each work-item, groups in a row. Vectorised: four of them. Tiled: the group
/// is a square, which copies blocks of its own shape to local memory. Both: both.
std::vector<Schedule> sgemm(const Operator& op, const DeviceProfile& device)
{
    if (op.name != "matmul") {
        throw bad_input(fmt::format("sgemm has no rule for {}", op.name), {}, "use matmul");
    }
    // work-items, 16 x 16 or a row: our choice, the study gives no size
    constexpr std::int64_t study = 256;
    const std::int64_t limit = std::min(study, device.limits.work_group_size);
    std::int32_t side = 1;
    while (std::int64_t{4} * side * side <= limit) {
        side *= 2;
    }
    const std::int32_t row = side * side;
    std::vector<Schedule> schedules;
    for (const Dim3& group : {Dim3{row, 1, 1}, Dim3{side, side, 1}}) {
        for (const std::int32_t width : {1, 4}) {
            Schedule schedule = schedule_for(op, {width, 1, 1}, group, true);
            schedule.stage = group[1] > 1 ? side : 0;
            // a row, a column or four k have nothing to share
            if (schedule.stage == 0 || is_legal(op, schedule)) {
                schedules.push_back(std::move(schedule));
            }
        }
    }
    return schedules;
}

} // namespace

std::vector<Dim3> mnn_tiles(bool one_tap)
{
    return one_tap ? std::vector<Dim3>{{4, 4, 1}, {8, 4, 1}}
                   : std::vector<Dim3>{{4, 4, 1}, {4, 1, 4}, {8, 1, 4}};
}

Dim3 tflite_tile(const OutputShape& shape, const DeviceProfile& device)
{
    const std::int64_t depth = ceil_div(shape.channels, 4);
    const double on_core =
        static_cast<double>(shape.width * shape.height * depth) / device.simulation.machine.cores;
    if (device.name.starts_with("adreno")) {
        const double waves = on_core / device.simulation.machine.warp_size;
        if (waves <= 6) {
            return {4, 1, 1};
        }
        if (waves <= 12) {
            return {4, 2, 1};
        }
        return waves <= 24 ? Dim3{8, 2, 1} : Dim3{8, 2, 2};
    }
    constexpr double one = 256;
    constexpr double two = 256 * 12;
    if (on_core <= one) {
        return {4, 1, 1};
    }
    return on_core <= two ? Dim3{4, 2, 1} : Dim3{4, 2, 2};
}

std::vector<Dim3> tflite_groups(const Dim3& grid, const DeviceProfile& device)
{
    constexpr std::int64_t least = 32;
    std::vector<Dim3> groups;
    const auto add = [&](std::int64_t w, std::int64_t h, std::int64_t c, std::int64_t least_items) {
        const std::int64_t items = w * h * c;
        const Dim3 group{narrow(c), narrow(w), narrow(h)};
        if (items >= least_items && items <= device.limits.work_group_size && grid[1] % w == 0 &&
            grid[2] % h == 0 && grid[0] % c == 0 &&
            std::ranges::find(groups, group) == groups.end()) {
            groups.push_back(group);
        }
    };
    for (const std::int32_t w : divisors(grid[1])) {
        for (const std::int32_t h : divisors(grid[2])) {
            for (const std::int32_t c : divisors(grid[0])) {
                add(w, h, c, least);
            }
        }
    }
    if (groups.empty()) { // no group of 32 divides the grid: small parts of it, then small numbers
        for (const bool parts : {true, false}) {
            for (std::int64_t w = 1; w <= 4; ++w) {
                for (std::int64_t h = 1; h <= 4; ++h) {
                    for (std::int64_t c = 1; c <= 4; ++c) {
                        add(parts ? ceil_div(grid[1], w) : w, parts ? ceil_div(grid[2], h) : h,
                            parts ? ceil_div(grid[0], c) : c, 1);
                    }
                }
            }
        }
    }
    return groups;
}

std::span<const BaselineRow> all_baselines()
{
    static constexpr std::array rows{
        BaselineRow{Baseline::mnn, "mnn", mnn},
        BaselineRow{Baseline::mace, "mace", mace},
        BaselineRow{Baseline::tflite, "tflite", tflite},
        BaselineRow{Baseline::vanilla, "vanilla", vanilla},
        BaselineRow{Baseline::sgemm, "sgemm", sgemm},
    };
    return rows;
}

std::string to_string(Baseline baseline)
{
    return all_baselines()[static_cast<std::size_t>(baseline)].name;
}

std::vector<Schedule> baseline_schedules(Baseline baseline, const Operator& op,
                                         const DeviceProfile& device)
{
    return all_baselines()[static_cast<std::size_t>(baseline)].schedules(op, device);
}

ConfigurationSpace space_of(const std::vector<Schedule>& schedules)
{
    ConfigurationSpace space;
    std::vector<GroupChoice> groups;
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        const KernelChoice kernel = kernel_of(schedules[i]);
        groups.push_back({schedules[i].warp, schedules[i].group});
        if (i + 1 == schedules.size() || kernel != kernel_of(schedules[i + 1])) {
            space.add_kernel(kernel, space.add_groups(groups));
            groups.clear();
        }
    }
    return space;
}

} // namespace texelscope::workbench::tuning
