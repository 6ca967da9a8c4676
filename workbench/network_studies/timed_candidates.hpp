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

/// Timed candidates of a plan's kernels, and the choice among them: one candidate for each kernel,
/// such that all readers of a value have it in the same layout, and that the sum of the times is
/// small.
class TimedCandidates {
public:
    /// The time in ns; nothing where the kernel cannot run there.
    using TimeOf =
        std::function<std::optional<double>(std::size_t kernel, const KernelPoint& point)>;

    /// At first, values lie as in the plan. The plan need not outlive this object.
    explicit TimedCandidates(const networks::Plan& plan);

    void add(std::size_t kernel, KernelPoint point, double ns)
    {
        kernels_[kernel].candidates.push_back({std::move(point), ns});
    }

    /// Chooses layouts by descent, for the values that several kernels read. A move takes one value
    /// to where a candidate has it, or all values that a kernel reads together. If a reader has no
    /// candidate at the new place, the move is first judged as if that reader were as fast there as
    /// anywhere; if that would gain, the reader's fastest candidates are timed there too.
    void choose_layouts(const TimeOf& time_of);

    /// The kernel's fastest candidate in the chosen layouts; of equal ones the first, null where
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
