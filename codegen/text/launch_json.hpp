#pragma once

#include "codegen/nest/schedule.hpp"
#include "codegen/operators/operator.hpp"

#include <string>

namespace texelscope::codegen {

/// What a host needs to launch the kernel of an operator under a schedule, as JSON
/// (docs/reference/programs.md, "Launch description"): sizes, arguments with their memory and the
/// place of each element, build options; and what the lowering says of its costs. Throws bad_input
/// for an illegal schedule.
[[nodiscard]] std::string launch_json(const Operator& op, const Schedule& schedule);

} // namespace texelscope::codegen
