#pragma once

#include "base/layers.hpp"

#include <nanobind/nanobind.h>

namespace texelscope::python {

// Parts of the module whose classes nobody else here needs.
void add_identification(nanobind::module_& module);
void add_networks(nanobind::module_& module);

} // namespace texelscope::python
