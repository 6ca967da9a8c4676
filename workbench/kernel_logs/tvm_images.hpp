#pragma once

#include "workbench/kernel_logs/autotvm_log.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace texelscope::workbench::kernel_logs {

/// How far TVM's schedules for Adreno were when a row was measured, as far as it decides where
/// tensors lie while tuning. A log does not say it; it follows from TVM's version and the date.
enum class TvmAge {
    /// Data lies as "texture", weights as "texture-weight"; of NHWC both by their sizes.
    first,
    /// Both by their sizes (get_texture_storage(); apache/tvm b05dca1f19, 2022-08-02).
    by_size,
    /// Weights lie in a buffer unless the kernel is 1x1 (apache/tvm 6069292ff9, 2022-12-08).
    weights_in_buffers,
};
[[nodiscard]] TvmAge tvm_age(const LogRow& row);

/// How many of a tensor's four dimensions, the outermost first, make up the rows of its image; the
/// others are the columns. TVM calls it the axis separator of a storage scope.
enum class ImageRows { one = 1, two = 2, three = 3 };

/// What get_texture_storage() of TVM's Adreno schedules chooses for a tensor of these four
/// dimensions and four numbers a texel: as many rows as stay below the limit.
[[nodiscard]] ImageRows image_rows(const std::array<std::int64_t, 4>& dimensions,
                                   std::int64_t limit);

/// The target's texture_spatial_limit; 16384 where it has none.
[[nodiscard]] std::int64_t texture_limit(const LogRow& row);

} // namespace texelscope::workbench::kernel_logs
