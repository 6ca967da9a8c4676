#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "model/tmmodel/calibration.hpp"
#include "model/tmmodel/kernel_cost.hpp"
#include "sim/simulate.hpp"
#include "workbench/space/configuration_space.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::study {

/// A calibration of the model for the device, fitted to measurements of the simulated device.
[[nodiscard]] Calibration calibrate_profile(const DeviceProfile& device, std::uint64_t seed,
                                            const StopToken& stop = {});

/// The model's answer for one configuration, in every variant.
///
/// This header asks the analytical model. What goes in: operator, schedule or configuration space,
/// device profile and calibration. What comes out: a Prediction of one configuration, or a Ranking
/// of many.
///
/// For one configuration: predict(). For a space: a ModelCosts holds what is asked of the model,
/// rank_by_model() goes over all of the space, and by_variant() lets a second variant order what
/// the first cannot tell apart. A search that looks at a part of the space asks
/// ModelCosts::of_kernel() or of_groups() itself and hands the costs to ranking_of().
///
/// What always holds: one loop nest of a kernel (a configuration without its work-group) serves all
/// of its work-group shapes, because a kernel's reads do not depend on the work-group - except
/// where a work-group copies blocks into local memory (S of a schedule), whose nest is made for
/// each shape.
struct Prediction {
    ModelKernel kernel;
    ModelDevice device;
    KernelCost literal;
    KernelCost refined;
    KernelCost reuse_aware;
    KernelCost bottleneck;
    [[nodiscard]] const KernelCost& cost(ModelVariant variant) const;

    /// In [0, 1]: how near the inputs' histograms are to the walks that the model was calibrated
    /// on; the least over the inputs, and 0 where no input lies in an image.
    double confidence = 0;
};
/// Throws bad_input for an illegal schedule.
[[nodiscard]] Prediction predict(const Operator& op, const Schedule& schedule,
                                 const DeviceProfile& device, const Calibration& model,
                                 const StopToken& stop = {});

/// What the bottleneck model is given of one configuration (ModelKernel::rounds). It needs no
/// calibration, so the inputs have no histograms. Throws as predict() does, and as buffer_path()
/// where the kernel reads buffers.
[[nodiscard]] ModelKernel bottleneck_kernel(const Operator& op, const Schedule& schedule,
                                            const DeviceProfile& device,
                                            const StopToken& stop = {});

struct RankedConfiguration {
    Schedule schedule;
    Nanoseconds cost{0};
    std::int64_t index = 0; ///< number of the element in the space
    /// How many configurations have this cost, up to rounding (same_time()), this one included.
    std::int64_t alike = 1;
};

/// Whether two times are equal up to rounding: their relative difference is at most 1e-9.
[[nodiscard]] bool same_time(double ns, double other_ns);
/// The end of a run of equal times. `ns(place)` gives `size` times in ascending order; the result
/// is the first place behind `first` whose time differs from that at `first` (same_time()), or
/// `size`.
template <class TimeAt>
[[nodiscard]] std::size_t end_of_same(std::size_t first, std::size_t size, const TimeAt& ns)
{
    std::size_t end = first + 1;
    while (end < size && same_time(ns(end), ns(first))) {
        ++end;
    }
    return end;
}

/// A configuration space in ascending order of cost.
struct Ranking {
    std::int64_t space = 0;                ///< configurations in the space
    std::int64_t evaluated = 0;            ///< how many of them got a cost
    std::vector<RankedConfiguration> best; ///< at most as many as asked for, ascending
    /// How many more were looked at and got no cost, since the model refuses them.
    std::int64_t not_priced = 0;
    std::string refusal = {}; ///< why, of one of them
};

/// The model's cost of elements of a space, a kernel with all of its work-group shapes at a time.
/// Everything that it is made of must outlive it.
class ModelCosts {
public:
    ModelCosts(const Operator& op, const DeviceProfile& device, const ConfigurationSpace& space,
               const Calibration& model, ModelVariant variant, StopToken stop = {});

    struct Cost {
        double ns;
        std::int64_t index; ///< in the space
        auto operator<=>(const Cost&) const = default;
    };
    /// Costs of elements, and how many elements have none: they are illegal, break a limit of the
    /// device, or do something that the variant does not know.
    struct Costs {
        std::vector<Cost> priced;
        std::int64_t not_priced = 0;
        std::string refusal = {}; ///< why, of one of them

        Costs& operator+=(const Costs& other);
    };
    /// Of all elements of a kernel. Throws Interrupted.
    [[nodiscard]] Costs of_kernel(std::size_t kernel) const;
    /// Of some, by their places in space().groups(kernel). Unless the kernel copies blocks (S),
    /// nearly all of the work is shared by its groups: one group costs about as much time as all.
    [[nodiscard]] Costs of_groups(std::size_t kernel, std::span<const std::size_t> groups) const;
    /// Where the device has a compiler, has it compile all, a few at a time; else each waits for
    /// its own.
    void compile(const std::function<void(double)>& progress = {}) const;
    [[nodiscard]] const ConfigurationSpace& space() const { return space_; }

private:
    const Operator& op_;
    const DeviceProfile& device_;
    const ConfigurationSpace& space_;
    const Calibration& model_;
    ModelVariant variant_;
    StopToken stop_;
};

/// A second opinion on elements to which the first judge gives the same cost: takes their numbers,
/// returns a cost for each in the same order.
using TieBreaker = std::function<std::vector<double>(const std::vector<std::int64_t>& elements)>;
/// A tie breaker that asks another variant of the model; an element without a cost gets infinity.
/// All arguments but `next` and `stop` must outlive it.
[[nodiscard]] TieBreaker by_variant(const Operator& op, const DeviceProfile& device,
                                    const ConfigurationSpace& space, const Calibration& model,
                                    ModelVariant next, const StopToken& stop = {});

/// The `keep` cheapest of the given costs (0: all), in ascending order. Elements of equal cost are
/// in the order of the space; with `ties`, in the order of the costs that it gives, and then of the
/// configurations' texts.
[[nodiscard]] Ranking ranking_of(const ConfigurationSpace& space, ModelCosts::Costs costs,
                                 std::size_t keep, const TieBreaker& ties = {});

/// Evaluates the model on the whole space and keeps the `keep` best (0: all). `ties`: see
/// ranking_of().
[[nodiscard]] Ranking rank_by_model(const ModelCosts& costs, std::size_t keep,
                                    const std::function<void(double)>& progress = {},
                                    const TieBreaker& ties = {});

} // namespace texelscope::workbench::study
