#pragma once

#include "devices/registers/machine_code.hpp"

namespace texelscope::devices {

/// Leaves out what no store, barrier or write to local memory depends on.
void remove_dead_code(MachineCode& code);

} // namespace texelscope::devices
