#pragma once

#include "workbench/network_studies/kernel_search.hpp"
#include "workbench/network_studies/network_search.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// The searches of a plan's kernels. Kernels that compute the same share one search, whatever gaps
/// other kernels need in their tensors.
class KernelKinds {
public:
    /// Gives the choices that a kernel is searched over.
    using ChoicesOf = std::function<KernelChoices(const networks::PlannedKernel&)>;

    /// The plan's kernels, the device and `stop` must outlive this object.
    KernelKinds(const networks::Plan& plan, const DeviceProfile& device, const ChoicesOf& choices,
                const StopToken& stop);

    [[nodiscard]] KernelSearch& of(std::size_t kernel) { return *of_[kernel]; }
    /// Configurations of all searches together, and how many of them were evaluated.
    [[nodiscard]] std::int64_t searched() const;
    [[nodiscard]] std::int64_t evaluated() const;

private:
    std::map<std::string, std::unique_ptr<KernelSearch>> kinds_;
    std::vector<KernelSearch*> of_; ///< each kernel
};

/// A value of a plan, and its image.
struct LargeImage {
    networks::ValueId value = networks::no_value;
    Extent2D extent;
};
/// The first of a plan's values, constants apart, whose image is larger than the device allows.
[[nodiscard]] std::optional<LargeImage> image_beyond_limits(const networks::Plan& plan,
                                                            const DeviceProfile& device);

/// Puts such values into buffers, and lowers the plan anew. Returns whether there were any.
[[nodiscard]] bool use_buffers_beyond_limits(networks::Plan& plan, const DeviceProfile& device);

/// Settles a plan: gives every kernel the point that `best` chooses for it in the plan's layouts,
/// lowers it, and predicts its time, keeping at most `candidates` further candidates of each
/// kernel. Values whose images would be larger than the device allows become buffers. The given
/// plan is moved from. Throws bad_input where a kernel has no legal schedule on the device.
[[nodiscard]] PredictedPlan
settled(networks::Plan& plan, KernelKinds& kinds, const DeviceProfile& device,
        std::size_t candidates,
        const std::function<PricedKernel(std::size_t kernel, const codegen::GivenLayouts& layouts)>&
            best);

} // namespace texelscope::workbench::network_studies
