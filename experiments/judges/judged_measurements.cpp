#include "experiments/judges/judged_measurements.hpp"

#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/launch/launch_options.hpp"
#include "experiments/judges/judged_cells.hpp"
#include "sim/sampled_time.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/study/study.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <tuple>

namespace texelscope::experiments {
// Measured kernels are judged shape by shape, because a judge has to order the kernels of one
// shape.
namespace {

/// The results of one operator and shape.
struct ShapeResults {
    bool fitted_on = false;
    std::vector<const StoredResult*> results;
};

std::vector<ShapeResults> by_shape(const std::vector<StoredResult>& results, bool fitted_on)
{
    std::map<std::tuple<std::string, std::string, std::string>, ShapeResults> shapes;
    for (const StoredResult& result : results) {
        ShapeResults& shape = shapes[{result.op, result.shape, result.padding}];
        shape.fitted_on = fitted_on;
        shape.results.push_back(&result);
    }
    std::vector<ShapeResults> list;
    for (auto& [name, shape] : shapes) {
        list.push_back(std::move(shape));
    }
    return list;
}

/// One shape, and how many of its kernels were left out for their samples.
struct ShapeOrNot {
    JudgedShape shape;
    std::int64_t too_long = 0;
};

ShapeOrNot judged_shape(const ShapeResults& shape, const DeviceProfile& device,
                        const Calibration& calibration, const MeasuredOptions& options,
                        const StopToken& stop)
{
    const StoredResult& first = *shape.results.front();
    const Operator op = parse_operator(first.op, first.shape, first.padding);
    ShapeOrNot out{{device.name, shape.fitted_on, first.op, first.shape, {}, {}}, 0};
    JudgedShape& judged = out.shape;
    std::mt19937_64 random(options.seed);
    for (const std::size_t place : shuffled_indices(random, shape.results.size())) {
        if (options.most_kernels > 0 && judged.measured_ns.size() == options.most_kernels) {
            break;
        }
        const StoredResult& result = *shape.results[place];
        const Schedule schedule = parse_schedule(result.config);
        const LoopNest nest = loop_nest(op, schedule);
        // A launch that cannot be cut to a short sample is left out, for the time that it would
        // take.
        if (sampled_accesses(launch_of(nest), options_for(nest, device), options.sample) >
            options.longest_sample) {
            ++out.too_long;
            continue;
        }
        const Prediction prediction = predict(op, schedule, device, calibration, stop);
        judged.measured_ns.push_back(result.median_ns());
        judged.judged_ns[0].push_back(simulated_time(nest, device, options.sample, stop).value);
        for (std::size_t v = 0; v < judged_variants.size(); ++v) {
            judged.judged_ns[v + 1].push_back(prediction.cost(judged_variants[v]).kernel.value);
        }
    }
    return out;
}

} // namespace

std::optional<double> JudgedShape::shortlist(std::size_t count) const
{
    if (measured_ns.size() <= count) {
        return std::nullopt;
    }
    std::vector<std::size_t> order(measured_ns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // The model's first `count`, of which the simulator takes the one that it thinks fastest.
    std::ranges::stable_sort(order, {}, [&](std::size_t kernel) { return judged_ns[1][kernel]; });
    const std::size_t chosen = *std::ranges::min_element(
        std::span(order).first(count), {}, [&](std::size_t k) { return judged_ns[0][k]; });
    return measured_ns[chosen] / std::ranges::min(measured_ns);
}

JudgedMeasurements judged_measurements(const TuningMeasurements& tuning,
                                       const DeviceProfile& device, const Calibration& calibration,
                                       const MeasuredOptions& options, const Progress& progress,
                                       const StopToken& stop)
{
    // Fewer kernels than these say too little of an order.
    constexpr std::size_t enough = 4;
    std::vector<ShapeResults> shapes = by_shape(tuning.identified_on, true);
    const std::vector<ShapeResults> others = by_shape(tuning.others, false);
    // Shapes that values were fitted to come first and keep their mark.
    shapes.insert(shapes.end(), others.begin(), others.end());
    std::vector<ShapeResults> some;
    for (std::size_t i = 0; i < shapes.size(); i += options.every) {
        some.push_back(shapes[i]);
    }
    std::vector<ShapeOrNot> judged(some.size());
    parallel_for(
        some.size(), processor_threads(),
        [&](std::size_t i) {
            judged[i] = judged_shape(some[i], device, calibration, options, stop);
        },
        stop,
        [&](std::size_t done) {
            tell(progress, "measured kernels of " + device.name, done, some.size());
        });
    JudgedMeasurements all;
    for (ShapeOrNot& one : judged) {
        all.too_long += one.too_long;
        if (one.shape.measured_ns.size() < enough) {
            ++all.left_out;
            continue;
        }
        all.kernels += std::ssize(one.shape.measured_ns);
        all.shapes.push_back(std::move(one.shape));
    }
    return all;
}

} // namespace texelscope::experiments
