#pragma once

#include "networks/plan/plan.hpp"
#include "networks/training/recomputation.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace texelscope::workbench::network_studies {

/// A step of training, and how many of its blocks are computed a second time to save memory.
struct BudgetedStep {
    networks::TrainingStep step;
    std::size_t again = 0;  ///< blocks of the forward pass that are computed again
    std::size_t blocks = 0; ///< blocks that the forward pass has
};

/// The memory that a plan takes, in bytes: what kernels make, weights, and what the caller gives.
[[nodiscard]] std::int64_t memory_of(const networks::Plan& plan);

/// The step with blocks computed again such that its plan takes at most `bytes`, with as few extra
/// operations as can be found. `planned` makes the plan of a step; its last call is for the step
/// that is returned. Throws bad_input, with the least memory that was found, where no plan fits.
[[nodiscard]] BudgetedStep
within_budget(const networks::TrainingStep& step, std::int64_t bytes,
              const std::function<networks::Plan(const networks::TrainingStep&)>& planned);

} // namespace texelscope::workbench::network_studies
