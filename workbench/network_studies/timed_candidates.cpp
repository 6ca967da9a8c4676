#include "workbench/network_studies/timed_candidates.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace texelscope::workbench::network_studies {

using codegen::TensorLayout;
using networks::Plan;
using networks::ValueId;

TimedCandidates::TimedCandidates(const Plan& plan) : kernels_(plan.kernels.size())
{
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        const networks::NodeKernel& kernel = plan.kernels[k].kernel;
        const codegen::GivenLayouts layouts = networks::open_layouts(plan, kernel);
        kernels_[k].share = plan.kernels[k].share();
        for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
            const ValueId place = networks::place_of(plan.graph, kernel.inputs[i]);
            kernels_[k].inputs.push_back(place);
            if (networks::is_made(plan, kernel.inputs[i])) {
                readers_[place].push_back(k);
                layouts_[place] = *layouts[i];
            }
        }
    }
    // Only values with several readers are to be agreed on; the others lie as their one reader
    // likes.
    std::erase_if(readers_, [](const auto& each) { return each.second.size() == 1; });
    std::erase_if(layouts_, [&](const auto& each) { return !readers_.contains(each.first); });
}

void TimedCandidates::choose_layouts(const TimeOf& time_of)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (const Layouts& move : moves()) {
            changed = try_move(move, time_of) || changed;
        }
    }
}

const KernelPoint* TimedCandidates::fastest(std::size_t kernel) const
{
    const PricedKernel* best = nullptr;
    for (const PricedKernel& each : kernels_[kernel].candidates) {
        if (fits(kernels_[kernel], each.point) && (best == nullptr || each.ns < best->ns)) {
            best = &each;
        }
    }
    return best == nullptr ? nullptr : &best->point;
}

bool TimedCandidates::fits(const Kernel& kernel, const KernelPoint& point) const
{
    for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
        const auto layout = layouts_.find(kernel.inputs[i]);
        if (layout != layouts_.end() && point.layouts[i] != layout->second) {
            return false;
        }
    }
    return true;
}

/// A candidate's layouts for those of its inputs that other kernels read too.
TimedCandidates::Layouts TimedCandidates::shared_layouts(const Kernel& kernel,
                                                         const KernelPoint& point) const
{
    Layouts layouts;
    for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
        if (layouts_.contains(kernel.inputs[i])) {
            layouts[kernel.inputs[i]] = *point.layouts[i];
        }
    }
    return layouts;
}

/// The moves to try, each once for a kernel: every shared value of a candidate alone, then all of
/// them together.
std::vector<TimedCandidates::Layouts> TimedCandidates::moves() const
{
    std::vector<Layouts> all;
    const auto add = [&](std::size_t first, Layouts move) {
        if (std::find(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(), move) ==
            all.end()) {
            all.push_back(std::move(move));
        }
    };
    for (const Kernel& kernel : kernels_) {
        // A move that another kernel has as well is tried again, as other layouts may have changed
        // by then.
        const std::size_t first = all.size();
        for (const PricedKernel& each : kernel.candidates) {
            Layouts together = shared_layouts(kernel, each.point);
            for (const auto& [value, layout] : together) {
                add(first, {{value, layout}});
            }
            if (together.size() > 1) {
                add(first, std::move(together));
            }
        }
    }
    return all;
}

/// The time of these kernels together, each by its fastest candidate in the present layouts. With
/// `anywhere`, a kernel that has none there counts with its fastest candidate of all.
double TimedCandidates::time(const std::vector<std::size_t>& kernels, bool anywhere) const
{
    double sum = 0;
    for (const std::size_t k : kernels) {
        double least = no_cost;
        double least_anywhere = no_cost;
        for (const PricedKernel& each : kernels_[k].candidates) {
            least = fits(kernels_[k], each.point) ? std::min(least, each.ns) : least;
            least_anywhere = std::min(least_anywhere, each.ns);
        }
        sum += kernels_[k].share * (anywhere && least == no_cost ? least_anywhere : least);
    }
    return sum;
}

void TimedCandidates::move_to(const Layouts& layouts)
{
    for (const auto& [value, layout] : layouts) {
        layouts_[value] = layout;
    }
}

bool TimedCandidates::try_move(const Layouts& move, const TimeOf& time_of)
{
    Layouts before;
    std::vector<std::size_t> readers;
    for (const auto& [value, layout] : move) {
        before[value] = layouts_.at(value);
        const std::vector<std::size_t>& more = readers_.at(value);
        readers.insert(readers.end(), more.begin(), more.end());
    }
    // It lies there already.
    if (before == move) {
        return false;
    }
    std::ranges::sort(readers);
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    const double least = time(readers, false);
    move_to(move);
    // Worth trying only if it would gain even when every reader were as fast there as anywhere.
    if (time(readers, true) < least) {
        add_where_missing(readers, time_of);
        if (time(readers, false) < least) {
            return true;
        }
    }
    move_to(before);
    return false;
}

/// For each kernel without a candidate in the present layouts: times its fastest candidates once
/// more with the values there.
void TimedCandidates::add_where_missing(const std::vector<std::size_t>& kernels,
                                        const TimeOf& time_of)
{
    constexpr std::size_t most = 2;
    for (const std::size_t k : kernels) {
        Kernel& kernel = kernels_[k];
        if (fastest(k) != nullptr) {
            continue;
        }
        std::vector<PricedKernel> all = kernel.candidates;
        std::ranges::stable_sort(all, {}, &PricedKernel::ns);
        std::vector<KernelPoint> tried;
        for (std::size_t c = 0; c < all.size() && tried.size() < most; ++c) {
            KernelPoint point = std::move(all[c].point);
            for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
                const auto layout = layouts_.find(kernel.inputs[i]);
                point.layouts[i] = layout == layouts_.end() ? point.layouts[i] : layout->second;
            }
            point.schedule = networks::noting(std::move(point.schedule), point.layouts);
            if (std::ranges::find(tried, point) == tried.end()) {
                if (const std::optional<double> ns = time_of(k, point)) {
                    add(k, point, *ns);
                }
                tried.push_back(std::move(point));
            }
        }
    }
}

} // namespace texelscope::workbench::network_studies
