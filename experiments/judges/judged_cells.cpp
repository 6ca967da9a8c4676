#include "experiments/judges/judged_cells.hpp"

#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/crosscheck.hpp"
#include "workbench/study/launch_result.hpp"

#include <algorithm>

namespace texelscope::experiments {
// A cell is one operator and shape on one device: some kernels of its space, judged by the
// simulator and by each variant of the model.
namespace {

/// Ranks the whole space by the bottleneck model, draws the cell's kernels, and has each of them
/// judged.
JudgedCell judged_cell(std::size_t number, const DeviceProfile& device,
                       const Calibration& calibration, const NamedShape& shape,
                       const CellOptions& options, const StopToken& stop)
{
    const Operator op = parse_operator(shape.op, shape.shape);
    const ConfigurationSpace space = configuration_space(op, device);
    const Ranking ranking =
        rank_by_model({op, device, space, calibration, ModelVariant::bottleneck, stop}, 0);
    // The sample of a cross-check, so that this experiment tells what `crosscheck` would show.
    CrosscheckOptions sampled;
    sampled.samples = options.kernels;
    sampled.seed = options.seed;
    JudgedCell cell{number, shape, crosscheck_sample(space, ranking, sampled), {}, {}};
    for (const Schedule& schedule : cell.schedules) {
        cell.simulated_ns.push_back(
            simulated_time(loop_nest(op, schedule), device, options.sample, stop).value);
        const Prediction prediction = predict(op, schedule, device, calibration, stop);
        for (std::size_t v = 0; v < judged_variants.size(); ++v) {
            cell.predicted_ns[v].push_back(prediction.cost(judged_variants[v]).kernel.value);
        }
    }
    return cell;
}

} // namespace

std::vector<NamedShape> judged_shapes()
{
    return {{"matmul", "64,64,64"},
            {"matmul", "256,256,256"},
            {"conv2d", "1,14,14,32,32,3,3,1"},
            {"conv2d", "1,28,28,64,64,3,3,1"},
            {"deconv2d", "1,14,14,32,32,3,3,1"},
            {"deconv2d", "1,14,14,64,32,3,3,2"},
            {"conv3d", "1,8,8,8,8,8,3,3,3,1"},
            {"conv3d", "1,8,16,16,16,16,3,3,3,1"},
            {"dwconv2d", "1,28,28,32,3,3,1"},
            {"dwconv2d", "1,56,56,64,3,3,1"},
            {"softmax", "128,128"},
            {"softmax", "512,512"},
            {"layernorm", "128,128"},
            {"layernorm", "384,640"}};
}

double JudgedCell::shortlist() const
{
    // The first half of a cell's kernels are the model's best: what a shortlist would simulate.
    const auto half = simulated_ns.begin() + static_cast<std::ptrdiff_t>(simulated_ns.size() / 2);
    return *std::min_element(simulated_ns.begin(), half) / std::ranges::min(simulated_ns);
}

std::vector<JudgedCell> judged_cells(const std::vector<DeviceProfile>& devices,
                                     const std::vector<Calibration>& calibrations,
                                     const CellOptions& options, const Progress& progress,
                                     const StopToken& stop)
{
    const std::size_t shapes = options.shapes.size();
    std::vector<JudgedCell> cells(devices.size() * shapes);
    parallel_for(
        cells.size(), processor_threads(),
        [&](std::size_t i) {
            const std::size_t device = i / shapes;
            cells[i] = judged_cell(device, devices[device], calibrations[device],
                                   options.shapes[i % shapes], options, stop);
        },
        stop, [&](std::size_t done) { tell(progress, "cells", done, cells.size()); });
    return cells;
}

} // namespace texelscope::experiments
