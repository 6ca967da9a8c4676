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

/// The device's model, fitted on the simulated device.
[[nodiscard]] Calibration calibrate_profile(const DeviceProfile& device, std::uint64_t seed,
                                            const StopToken& stop = {});

/// The model's answer for one configuration, level by level, in every variant.
struct Prediction {
    ModelKernel kernel;
    ModelDevice device;
    KernelCost literal;
    KernelCost refined;
    KernelCost reuse_aware;
    KernelCost bottleneck;
    [[nodiscard]] const KernelCost& cost(ModelVariant variant) const;

    /// In (0, 1]: how near the inputs' histograms are to the calibrated walks.
    double confidence = 0;
};
/// Throws bad_input for an illegal schedule.
[[nodiscard]] Prediction predict(const Operator& op, const Schedule& schedule,
                                 const DeviceProfile& device, const Calibration& model,
                                 const StopToken& stop = {});

/// What the bottleneck model knows of one configuration: its rounds. Nothing is calibrated, so that
/// it has no histograms. Throws as predict() does, and as buffer_path() where it reads buffers.
[[nodiscard]] ModelKernel bottleneck_kernel(const Operator& op, const Schedule& schedule,
                                            const DeviceProfile& device,
                                            const StopToken& stop = {});

struct RankedConfiguration {
    Schedule schedule;
    Nanoseconds cost{0};
    std::int64_t index = 0; ///< in the space
    /// Configurations that got this cost, but for rounding; itself is one of them.
    std::int64_t alike = 1;
};

/// Whether two times are the same but for rounding.
[[nodiscard]] bool same_time(double ns, double other_ns);
/// Of `size` times in ascending order, given by their place: behind the last that is the same as
/// that at `first`.
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
    /// That were looked at as well, and that the model refuses.
    std::int64_t not_priced = 0;
    std::string refusal = {}; ///< why, of one of them
};

/// The model's cost of elements of a space, a kernel with all of its work-groups at a time.
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
    /// Costs of elements, and how many have none: illegal, beyond a limit of the device, or nothing
    /// that the variant knows.
    struct Costs {
        std::vector<Cost> priced;
        std::int64_t not_priced = 0;
        std::string refusal = {}; ///< why, of one of them

        Costs& operator+=(const Costs& other);
    };
    /// Of all elements of a kernel. Throws Interrupted.
    [[nodiscard]] Costs of_kernel(std::size_t kernel) const;
    /// Of some, by their places in the kernel's list of groups; a single one is as cheap as that
    /// only where the kernel copies blocks.
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

/// What the next judge says of elements that got the same cost, by number; in their order.
using TieBreaker = std::function<std::vector<double>(const std::vector<std::int64_t>& elements)>;
/// Another variant of the model as such. All but `next` must outlive it.
[[nodiscard]] TieBreaker by_variant(const Operator& op, const DeviceProfile& device,
                                    const ConfigurationSpace& space, const Calibration& model,
                                    ModelVariant next, const StopToken& stop = {});

/// The `keep` first (0: all) of what was looked at. Equal costs are in the order of the space; with
/// `ties`, in the order of what that says, and then of their texts.
[[nodiscard]] Ranking ranking_of(const ConfigurationSpace& space, ModelCosts::Costs costs,
                                 std::size_t keep, const TieBreaker& ties = {});

/// Evaluates the model on the whole space and keeps the `keep` best (0: all). `ties`: see
/// ranking_of().
[[nodiscard]] Ranking rank_by_model(const ModelCosts& costs, std::size_t keep,
                                    const std::function<void(double)>& progress = {},
                                    const TieBreaker& ties = {});

} // namespace texelscope::workbench::study
