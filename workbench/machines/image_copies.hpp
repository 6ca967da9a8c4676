#pragma once

#include "base/layers.hpp"

#include <cstdint>

namespace texelscope::codegen {
struct LoopNest;
} // namespace texelscope::codegen
namespace texelscope::sim {
struct Timing;
} // namespace texelscope::sim

namespace texelscope::workbench::machines {

using codegen::LoopNest;
using sim::Timing;

/// What a framework copies from buffers into images before a kernel, each time that it runs: a
/// launch for each input that lies in an image.
struct ImageCopies {
    int launches = 0;
    std::int64_t bytes = 0; ///< read and written, the images' padding included
};
[[nodiscard]] ImageCopies image_copies(const LoopNest& nest);

/// How long they take on a device: its launches, and their bytes at the rate of memory.
[[nodiscard]] double copies_ns(const ImageCopies& copies, const Timing& timing);

} // namespace texelscope::workbench::machines
