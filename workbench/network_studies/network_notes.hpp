#pragma once

#include "networks/onnx/write_onnx.hpp"
#include "workbench/network_studies/judged_network.hpp"

namespace texelscope::workbench::network_studies {

/// Notes for the ONNX model of a judged network. At a node: the kernels that compute it, with
/// configurations, layouts and times; whose kernel it is fused into; and the conversions that it
/// asks for. At the model: totals, memory, agreement of the judges.
[[nodiscard]] networks::OnnxNotes network_notes(const JudgedNetwork& network);

} // namespace texelscope::workbench::network_studies
