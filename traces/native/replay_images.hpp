#pragma once

#include "traces/image.hpp"
#include "traces/native/group_table.hpp"
#include "traces/native/step_chunk.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace texelscope::traces {

class TraceChunks;

/// The images and buffers of a recorded launch as images of two dimensions, which is what a
/// TraceSource has.
///
/// A layer of an array and a slice of a 3D image are images of their own, "A[3]", one behind the
/// other; layers that nobody reads are not there. A layer beyond an array is the nearest one. A
/// slice beyond a 3D image obeys the address mode, as x and y do.
///
/// A buffer is one row of texels. A texel has as many bytes as divide the offset and the size of
/// every read of the buffer, a power of two, 16 at most: so the texels of a read are the bytes that
/// it touches, no more and no less. Buffers that nobody reads are not there.
class ReplayImages {
public:
    /// Looks at all reads where there are layers, and at all other accesses for buffers. Throws
    /// bad_input where there would be too many images, or a buffer has too many texels.
    ReplayImages(const TraceChunks& chunks, int launch, bool buffers);

    [[nodiscard]] std::span<const Image> images() const { return images_; }

    /// Whether a read of this image of the launch moves as its step does.
    [[nodiscard]] bool is_plain(std::uint16_t image) const { return !of_images_[image].layered; }
    /// The image read of a row, which is where its step has moved it to.
    [[nodiscard]] LaneRead image_read(const StepRow& row, std::uint16_t lane) const;

    /// Successive texels of a buffer.
    struct BufferTexels {
        std::uint16_t image = 0;
        std::int64_t first = 0;
        std::int64_t count = 0;
    };
    /// The texels of a buffer read; none for a read of no bytes, and for a write.
    [[nodiscard]] BufferTexels buffer_texels(const StepRow& row) const;
    /// A texel of a buffer; one outside of the image where the buffer ends before.
    [[nodiscard]] Texel buffer_texel(std::uint16_t image, std::int64_t index) const;

    [[nodiscard]] bool reads_buffers() const { return buffer_readers_.size() > 0; }
    /// The work-items that read a buffer.
    [[nodiscard]] const GroupTable& buffer_readers() const { return buffer_readers_; }

private:
    struct OfImage {
        bool layered = false;
        bool touches_nothing_beyond = false; ///< a slice beyond is no texel
        std::int32_t depth = 1;
        std::uint16_t number = 0; ///< where not layered
        std::map<std::int32_t, std::uint16_t> layers;
    };
    struct OfBuffer {
        std::int64_t texel = 0; ///< bytes; 0: nobody reads it
        std::uint16_t number = 0;
    };

    void add_images(const TraceChunks& chunks, int launch);
    void add_buffers(const TraceChunks& chunks, int launch);
    [[nodiscard]] std::uint16_t add(Image image, const TraceChunks& chunks);

    std::vector<Image> images_;
    std::vector<std::int64_t> texels_; ///< of each image that is a buffer; 0 of others
    std::vector<OfImage> of_images_;
    std::vector<OfBuffer> of_buffers_;
    GroupTable buffer_readers_;
};

} // namespace texelscope::traces
