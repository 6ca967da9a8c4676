#pragma once

namespace oclgrind {
class KernelInvocation;
} // namespace oclgrind

namespace texelscope::traces {

/// Gives Oclgrind, which has none, the functions of subgroup_functions.hpp. Once for the process.
void add_subgroup_builtins();

/// Finds out how large the sub-groups of the launch are: as the kernel requires, else as the
/// capture command was told (spool::variable::subgroup_size).
void subgroups_of(const oclgrind::KernelInvocation& launch);

} // namespace texelscope::traces
