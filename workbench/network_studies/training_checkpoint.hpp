#pragma once

#include "workbench/network_studies/network_training.hpp"

#include <string>

namespace texelscope::workbench::network_studies {

/// Where training has come to as a file's text, with a checksum: every loss and number as it is.
/// `what`: all that the numbers depend on, in a line, parted by commas. Gradients are left out.
[[nodiscard]] std::string checkpoint_text(const TrainingState& state, const std::string& what);

/// The way back. Throws bad_input, naming `path`, for what is damaged, and where the file is of
/// other training than `what`.
[[nodiscard]] TrainingState read_checkpoint(const std::string& text, const std::string& what,
                                            const std::string& path);

} // namespace texelscope::workbench::network_studies
