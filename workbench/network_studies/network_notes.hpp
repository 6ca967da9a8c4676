#pragma once

#include "networks/onnx/write_onnx.hpp"
#include "workbench/network_studies/judged_network.hpp"

namespace texelscope::workbench::network_studies {

/// What a judged network's ONNX model says of its nodes: the kernels that compute each, with
/// configurations, layouts and times; whose kernel takes it in; conversions at the node that asks
/// for them. Of the model: totals, memory, agreement of the judges.
[[nodiscard]] networks::OnnxNotes network_notes(const JudgedNetwork& network);

} // namespace texelscope::workbench::network_studies
