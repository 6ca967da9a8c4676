#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace texelscope::devices {

/// What a driver tells about a kernel that it has built; what it does not tell stays empty.
struct DriverFootprint {
    /// 32-bit registers of a work-item (NVIDIA's build log).
    std::optional<int> registers;
    /// Bytes of a work-item's spill stores and loads (NVIDIA's build log).
    std::optional<std::int64_t> spilled_bytes;
    std::optional<std::int64_t> private_bytes;  ///< CL_KERNEL_PRIVATE_MEM_SIZE, of a work-item
    std::optional<std::int64_t> local_bytes;    ///< CL_KERNEL_LOCAL_MEM_SIZE, of a work-group
    std::optional<std::int64_t> largest_group;  ///< CL_KERNEL_WORK_GROUP_SIZE
    std::optional<std::int64_t> group_multiple; ///< CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE
};

/// Build options that make the vendor's driver put as much as it can into the build log.
[[nodiscard]] std::string telling_build_options(const std::string& vendor);

/// Registers and spills from the log of a build with `-cl-nv-verbose`, whose lines on a kernel are
/// like "ptxas info : Used 40 registers, 376 bytes cmem[0]" and "0 bytes stack frame, 8 bytes spill
/// stores, 8 bytes spill loads". The program must have one kernel. Members stay empty where the log
/// says nothing.
[[nodiscard]] DriverFootprint footprint_from_log(const std::string& log);

} // namespace texelscope::devices
