#pragma once

#include "networks/plan/plan.hpp"
#include "workbench/network_studies/kernel_search.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace texelscope::workbench::network_studies {

/// Candidates of a plan's kernels, each timed alone, and the choice among them: of each kernel one,
/// so that all who read a value have it in one layout, and so that they take least together.
class TimedCandidates {
public:
    /// The time in ns; nothing where the kernel cannot run there.
    using TimeOf =
        std::function<std::optional<double>(std::size_t kernel, const KernelPoint& point)>;

    /// Values lie as the plan has them at first. Keeps nothing of it.
    explicit TimedCandidates(const networks::Plan& plan);

    void add(std::size_t kernel, KernelPoint point, double ns)
    {
        kernels_[kernel].candidates.push_back({std::move(point), ns});
    }

    /// Descent over the layouts of values that several kernels read: one value moves to where a
    /// candidate has it, or all that a kernel reads move together. Where that would gain if a
    /// reader that has no candidate there were as fast as anywhere, its fastest candidates are
    /// timed there too.
    void choose_layouts(const TimeOf& time_of);

    /// The fastest of a kernel in the layouts that were chosen; of equals the first; null where
    /// there is none.
    [[nodiscard]] const KernelPoint* fastest(std::size_t kernel) const;

private:
    struct Kernel {
        std::vector<networks::ValueId> inputs; ///< the places of them
        double share = 1;
        std::vector<PricedKernel> candidates; ///< with the time that they took
    };
    using Layouts = std::map<networks::ValueId, codegen::TensorLayout>;

    [[nodiscard]] bool fits(const Kernel& kernel, const KernelPoint& point) const;
    [[nodiscard]] Layouts shared_layouts(const Kernel& kernel, const KernelPoint& point) const;
    [[nodiscard]] std::vector<Layouts> moves() const;
    [[nodiscard]] double time(const std::vector<std::size_t>& kernels, bool anywhere) const;
    void move_to(const Layouts& layouts);
    bool try_move(const Layouts& move, const TimeOf& time_of);
    void add_where_missing(const std::vector<std::size_t>& kernels, const TimeOf& time_of);

    std::vector<Kernel> kernels_;
    std::map<networks::ValueId, std::vector<std::size_t>>
        readers_;     ///< of values that several kernels read, or one several times
    Layouts layouts_; ///< of these
};

} // namespace texelscope::workbench::network_studies
