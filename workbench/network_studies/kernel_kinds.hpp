#pragma once

#include "workbench/network_studies/kernel_search.hpp"
#include "workbench/network_studies/network_search.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// Searches of a plan's kernels: those that are computed alike, whatever gaps others ask for, share
/// one.
class KernelKinds {
public:
    /// What each kernel is searched over.
    using ChoicesOf = std::function<KernelChoices(const networks::PlannedKernel&)>;

    /// The plan's kernels, the device and `stop` must outlive it.
    KernelKinds(const networks::Plan& plan, const DeviceProfile& device, const ChoicesOf& choices,
                const StopToken& stop);

    [[nodiscard]] KernelSearch& of(std::size_t kernel) { return *of_[kernel]; }
    /// Sums over all of them.
    [[nodiscard]] std::int64_t searched() const;
    [[nodiscard]] std::int64_t evaluated() const;

private:
    std::map<std::string, std::unique_ptr<KernelSearch>> kinds_;
    std::vector<KernelSearch*> of_; ///< each kernel
};

/// The plan with every kernel as `best` has it in the plan's layouts, lowered, and what the model
/// says of it, with so many candidates of each kernel at most. Throws bad_input where a kernel has
/// no legal schedule on the device. What is given is moved from.
[[nodiscard]] PredictedPlan
settled(networks::Plan& plan, KernelKinds& kinds, const DeviceProfile& device,
        std::size_t candidates,
        const std::function<PricedKernel(std::size_t kernel, const codegen::GivenLayouts& layouts)>&
            best);

} // namespace texelscope::workbench::network_studies
