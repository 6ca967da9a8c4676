#pragma once

#include "traces/capture/texels_touched.hpp"
#include "traces/native/trace_record.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace oclgrind {
class KernelInvocation;
struct Image;
} // namespace oclgrind

namespace texelscope::traces {

/// An image argument of the launch that runs.
struct RecordedImage {
    std::size_t address = 0; ///< Oclgrind's; two arguments that are one image have the same
    std::string name;
    unsigned argument = 0;
    SampledImage shape;
    std::string format;
    std::size_t bytes_per_texel = 0;
    ImageKind kind = ImageKind::two;
};

/// A buffer argument.
struct RecordedBuffer {
    std::size_t number = 0; ///< Oclgrind's; two arguments that are one buffer have the same
    std::string name;
    unsigned argument = 0;
    std::size_t bytes = 0;
};

/// What is known of a launch when it begins.
struct RecordedLaunch {
    std::string kernel;
    std::size_t global[3] = {1, 1, 1};
    std::size_t local[3] = {1, 1, 1};
    std::size_t offset[3] = {0, 0, 0};
    std::size_t groups[3] = {1, 1, 1};
    std::vector<RecordedImage> images;
    std::vector<RecordedBuffer> buffers;

    /// The image's place in `images`, or -1 for one that is no argument.
    [[nodiscard]] int find(const oclgrind::Image& image) const;
    [[nodiscard]] std::int64_t group_count() const;
    /// The payload of a launch record: see CapturedSpool.
    [[nodiscard]] std::string text(std::int64_t first_group, std::int64_t last_group) const;
};

/// Throws std::runtime_error with the reason where the launch cannot be recorded.
[[nodiscard]] RecordedLaunch describe_launch(const oclgrind::KernelInvocation& invocation,
                                             bool with_buffers);

/// The shape of an image for a read or write of it. Throws std::runtime_error for a type that there
/// is no rule for.
[[nodiscard]] SampledImage shape_of(const oclgrind::Image& image);

} // namespace texelscope::traces
