#pragma once

#include "devices/registers/machine_code.hpp"

namespace texelscope::devices {

/// Removes instructions on which no store, barrier or write to local memory depends.
void remove_dead_code(MachineCode& code);

} // namespace texelscope::devices
