#pragma once

#include "workbench/network_studies/judged_network.hpp"

#include <nanobind/nanobind.h>

#include <vector>

namespace texelscope::python {
using namespace experiments;

/// A network with what its judges said: NetworkResult in Python. `outputs` are those of the graph
/// itself, since the judged graph may have others beside them.
struct Judged {
    JudgedNetwork network;
    std::vector<networks::ValueId> outputs;
};

void add_network_results(nanobind::module_& module);

} // namespace texelscope::python
