#pragma once

#include "workbench/network_studies/judged_network.hpp"

#include <nanobind/nanobind.h>

#include <vector>

namespace texelscope::python {
using namespace experiments;

/// A network with what its judges said, and its graph's own outputs.
struct Judged {
    JudgedNetwork network;
    std::vector<networks::ValueId> outputs;
};

void add_network_results(nanobind::module_& module);

} // namespace texelscope::python
