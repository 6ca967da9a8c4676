#pragma once

#include "traces/native/step_row.hpp"
#include "traces/native/trace_record.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace texelscope::traces {

/// What the work-items of a group did, by steps: a step of its own for each image read of an item, and for everything else
/// the number of the access. Reads come first; steps ascend, and the items of a step.
/// Throws bad_input where an item is there twice.
void for_each_step(std::span<const TracedItem> items,
                   const std::function<void(bool reads, std::uint32_t step, std::span<const StepRow> rows)>& visit);

} // namespace texelscope::traces
