#pragma once

#include "base/layers.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace texelscope::traces {

/// Accel-Sim's text traces of kernels (.traceg): a header, then for each thread block and each of
/// its warps of 32 the instructions with the addresses of the lanes.
namespace traceg {

inline constexpr int warp_size = 32;

struct Kernel {
    std::string name;
    std::array<std::int64_t, 3> grid{1, 1, 1};
    std::array<std::int64_t, 3> block{1, 1, 1};

    bool operator==(const Kernel&) const = default;
};

/// How the addresses of an instruction are written.
enum class AddressMode : int { list_all = 0, base_stride = 1, base_delta = 2 };

/// A memory instruction of a warp.
struct Access {
    std::int64_t group = 0; ///< linear number of the thread block
    std::int32_t warp = 0;
    std::uint32_t step = 0; ///< counts the memory instructions of the warp
    std::string opcode;
    std::uint32_t bytes = 0; ///< of each lane
    /// Lane and address; ascending. None of a load that stands there without addresses.
    std::vector<std::pair<int, std::uint64_t>> lanes;

    bool operator==(const Access&) const = default;
};

/// Calls `kernel` once, then `access` for each memory instruction, and for each load without
/// addresses. Returns how many thread blocks there are. Throws bad_input, with the line, for what
/// the format does not allow, and where a warp has other than its number of instructions.
std::int64_t read(std::istream& in, const std::string& name,
                  const std::function<void(const Kernel&)>& kernel,
                  const std::function<void(const Access&)>& access);

/// Whether an opcode loads from global memory or through the texture unit.
[[nodiscard]] bool is_load(std::string_view opcode);

[[nodiscard]] std::string header(const Kernel& kernel);
/// The opcode of a load of so many bytes by each lane: 1, 2, 4, 8 or 16; empty for others.
[[nodiscard]] std::string load_opcode(std::uint32_t bytes);
/// The line of a load; `counter` is where it stands in the program. A mode that cannot hold the
/// addresses is replaced by the next one that can: a stride by differences.
[[nodiscard]] std::string load_line(std::uint64_t counter, const Access& access, AddressMode mode);
/// The shortest mode that holds the addresses.
[[nodiscard]] AddressMode best_mode(const Access& access);

} // namespace traceg
} // namespace texelscope::traces
