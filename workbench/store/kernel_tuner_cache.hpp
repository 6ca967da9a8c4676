#pragma once

#include "workbench/store/stored_result.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::store {

/// Results of one operator, shape, device and judge as the text of a cache file of Kernel Tuner
/// 1.x, which its simulation mode replays and its tuning goes on with. The parameters are those of
/// parameter_table(); `time` is the median, in ms. A status that is not ok becomes Kernel Tuner's
/// `__error__`: unsupported InvalidConfig, build-failed CompilationFailedConfig, every other one
/// RuntimeFailedConfig; such an entry has no `time`. Members of our own beside it, which Kernel
/// Tuner does not look at, keep what it has no place for. Throws bad_input where the results do not
/// go into one such file (common_group(), parameter_table()).
[[nodiscard]] std::string kernel_tuner_cache(const std::vector<StoredResult>& results);

/// Reads the results of a cache: exactly those that kernel_tuner_cache() was given, or those that
/// Kernel Tuner measured with the same parameters. A file whose JSON was not closed is read, too.
/// `where`: what messages call it. Throws bad_input where the text is no such file, or its
/// parameters are no schedule.
[[nodiscard]] std::vector<StoredResult> parse_kernel_tuner_cache(const std::string& text,
                                                                 const std::string& where);

} // namespace texelscope::workbench::store
