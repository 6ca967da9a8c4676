#pragma once

#include "workbench/network_studies/network_training.hpp"

#include <string>

namespace texelscope::workbench::network_studies {

/// A checkpoint of training as text, with a checksum; losses and numbers are kept exactly,
/// gradients are left out. `what`: a line that names everything the numbers depend on, separated by
/// commas.
[[nodiscard]] std::string checkpoint_text(const TrainingState& state, const std::string& what);

/// The state of a checkpoint. Throws bad_input, naming `path`, for a damaged file, and where the
/// checkpoint belongs to another training than `what`.
[[nodiscard]] TrainingState read_checkpoint(const std::string& text, const std::string& what,
                                            const std::string& path);

} // namespace texelscope::workbench::network_studies
