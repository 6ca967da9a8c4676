#pragma once

#include "devices/profile/device_profile.hpp"
#include "workbench/space/narrowed.hpp"
#include "workbench/space/space_options.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::workbench::space {

/// A space in the manner of TVM's templates (its `define_split` with the policy of factors): the
/// extent of each axis of the grid is a product block * thread * tile, in every way that there is,
/// with thread the side of the work-group and tile that of the work-item's outputs. Further knobs
/// are those of SpaceOptions, whose sides of tiles and groups do not count here. One layout, as TVM
/// has one: the patterns of the operator's default schedule; work-groups are not remapped.
/// What is legal on the device is left; combinations with a tile or a work-group that is larger
/// than allowed are counted.
[[nodiscard]] Narrowed factor_space(const Operator& op, const DeviceProfile& device,
                                    const SpaceOptions& knobs);

/// What TVM's template and Romou's two primitives leave to choose, in our knobs: inputs in images
/// or in buffers (`setImage`), the scalar written out or not (`autobroadcast`), the loops over the
/// kernel's taps as they are or written out (`unroll`), and the sums of a reduction by one
/// work-item or by 4, 16 or 64 (Romou's split of the reduction axis, in powers of four).
[[nodiscard]] SpaceOptions template_knobs(const Operator& op);

/// Divisors of a number from 1 on, ascending.
[[nodiscard]] std::vector<std::int32_t> divisors(std::int64_t number);

} // namespace texelscope::workbench::space
