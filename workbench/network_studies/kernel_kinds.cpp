#include "workbench/network_studies/kernel_kinds.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"

#include <fmt/format.h>

#include <utility>

namespace texelscope::workbench::network_studies {
namespace {

using networks::Plan;
using networks::PlannedKernel;
using networks::ValueId;

/// What tells kinds of kernels apart: the kernel's text, without the gaps that other kernels need,
/// and what does not show in it (sizes of tensors, and which inputs have given layouts).
std::string key_of(const Plan& plan, const PlannedKernel& planned)
{
    const codegen::LoopNest nest =
        planned.kernel.op.nest(planned.schedule, networks::open_layouts(plan, planned.kernel));
    std::string key = opencl_text(nest, codegen::TexelBackend::native);
    for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
        key += fmt::format(";{} {}", nest.inputs[i].tensor.size(),
                           networks::is_made(plan, planned.kernel.inputs[i]));
    }
    return key + fmt::format(";{}", nest.output.tensor.size());
}

using BestPoint = std::function<PricedKernel(std::size_t, const codegen::GivenLayouts&)>;

/// Gives every kernel its best point in the plan's layouts, and lowers the plan.
void settle_kernels(Plan& plan, PredictedPlan& result, KernelKinds& kinds,
                    const DeviceProfile& device, std::size_t candidates, const BestPoint& best)
{
    std::vector<Schedule> schedules;
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        const networks::NodeKernel& kernel = plan.kernels[k].kernel;
        // Candidates are compared without gaps, as other layouts need other gaps.
        const codegen::GivenLayouts layouts = networks::open_layouts(plan, kernel);
        PricedKernel found = best(k, layouts);
        if (found.ns == no_cost) {
            throw bad_input("no schedule of the kernel is legal on the device",
                            kernel.op.name + " for " + device.name);
        }
        result.predicted.push_back(Nanoseconds{found.ns});
        std::vector<PricedKernel>& others = result.candidates.emplace_back();
        std::vector<PricedKernel> first;
        // One more than wanted, as the chosen point is among them.
        if (candidates > 0) {
            first = first_of(kinds.of(k), layouts, candidates + 1);
        }
        for (PricedKernel& each : first) {
            if (others.size() < candidates && each.point != found.point) {
                each.point.schedule =
                    networks::noting(std::move(each.point.schedule), each.point.layouts);
                others.push_back(std::move(each));
            }
        }
        schedules.push_back(networks::noting(std::move(found.point.schedule), layouts));
    }
    for (std::size_t k = 0; k < schedules.size(); ++k) {
        plan.kernels[k].schedule = std::move(schedules[k]);
    }
    networks::lower(plan);
}

} // namespace

KernelKinds::KernelKinds(const Plan& plan, const DeviceProfile& device, const ChoicesOf& choices,
                         const StopToken& stop)
{
    for (const PlannedKernel& planned : plan.kernels) {
        const auto [found, fresh] = kinds_.try_emplace(key_of(plan, planned));
        if (fresh) {
            std::vector<bool> made;
            for (const ValueId input : planned.kernel.inputs) {
                made.push_back(networks::is_made(plan, input));
            }
            found->second = std::make_unique<KernelSearch>(
                KernelProblem(planned.kernel, made, device, choices(planned), stop),
                worth_going_on);
        }
        of_.push_back(found->second.get());
    }
}

std::int64_t KernelKinds::searched() const
{
    std::int64_t sum = 0;
    for (const auto& [key, kind] : kinds_) {
        sum += kind->problem().searched();
    }
    return sum;
}

std::int64_t KernelKinds::evaluated() const
{
    std::int64_t sum = 0;
    for (const auto& [key, kind] : kinds_) {
        sum += kind->problem().evaluated();
    }
    return sum;
}

std::optional<LargeImage> image_beyond_limits(const networks::Plan& plan,
                                              const DeviceProfile& device)
{
    const auto is_large = [&](const codegen::Operand& operand) {
        const Extent2D extent = operand.image.extent;
        return operand.memory == codegen::Memory::image &&
               (extent.width > device.limits.image_width ||
                extent.height > device.limits.image_height);
    };
    for (const networks::PlannedKernel& planned : plan.kernels) {
        const networks::NodeKernel& kernel = planned.kernel;
        for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
            if (networks::is_made(plan, kernel.inputs[i]) && is_large(planned.nest.inputs[i])) {
                return LargeImage{kernel.inputs[i], planned.nest.inputs[i].image.extent};
            }
        }
        if (is_large(planned.nest.output)) {
            return LargeImage{kernel.output, planned.nest.output.image.extent};
        }
    }
    return std::nullopt;
}

bool use_buffers_beyond_limits(networks::Plan& plan, const DeviceProfile& device)
{
    bool any = false;
    // Each round turns one image into a buffer, so this ends.
    while (const std::optional<LargeImage> large = image_beyond_limits(plan, device)) {
        networks::layout_of(plan, large->value)->memory = codegen::Memory::buffer;
        for (networks::PlannedKernel& each : plan.kernels) {
            each.schedule = networks::noting(std::move(each.schedule),
                                             networks::given_layouts(plan, each.kernel));
        }
        networks::lower(plan);
        any = true;
    }
    return any;
}

PredictedPlan
settled(Plan& plan, KernelKinds& kinds, const DeviceProfile& device, std::size_t candidates,
        const std::function<PricedKernel(std::size_t kernel, const codegen::GivenLayouts& layouts)>&
            best)
{
    PredictedPlan result;
    // Images are known with the gaps that kernels ask for, and those beyond the device's limits
    // become buffers. Kernels then get schedules for these.
    do {
        result = {};
        settle_kernels(plan, result, kinds, device, candidates, best);
    } while (use_buffers_beyond_limits(plan, device));
    result.searched = kinds.searched();
    result.evaluated = kinds.evaluated();
    result.plan = std::move(plan);
    return result;
}

} // namespace texelscope::workbench::network_studies
