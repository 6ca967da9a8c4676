#pragma once

#include "codegen/nest/schedule.hpp"

#include <string>
#include <vector>

namespace texelscope::codegen {

/// What every operator asks of a schedule: a pattern for each input, memory for each tensor or none, at most 1024
/// outputs of one work-item, at most 256 work-items to a reduction. Throws bad_input with the reason; `where` is for the
/// message.
void check_schedule(const Schedule& schedule, const std::vector<std::string>& input_names, const std::string& where);

} // namespace texelscope::codegen
