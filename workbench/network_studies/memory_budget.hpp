#pragma once

#include "networks/plan/plan.hpp"
#include "networks/training/recomputation.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace texelscope::workbench::network_studies {

/// A step of training, and what of it is computed again.
struct BudgetedStep {
    networks::TrainingStep step;
    std::size_t again = 0;  ///< blocks of the forward pass
    std::size_t blocks = 0; ///< that it has
};

/// All that a plan takes, in bytes: what kernels make, weights, what the caller gives.
[[nodiscard]] std::int64_t memory_of(const networks::Plan& plan);

/// The step with as few operations as can be found computed again so that its plan takes at most
/// `bytes`. `planned`: plans a step; it is called last with the one that is returned. Throws
/// bad_input, with the least that was found, where that is more.
[[nodiscard]] BudgetedStep
within_budget(const networks::TrainingStep& step, std::int64_t bytes,
              const std::function<networks::Plan(const networks::TrainingStep&)>& planned);

} // namespace texelscope::workbench::network_studies
