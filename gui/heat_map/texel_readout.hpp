#pragma once

#include "sim/last_touch.hpp"
#include "sim/memory/image_storage.hpp"
#include "workbench/study/launch_result.hpp"

#include <QString>
#include <optional>

namespace texelscope::gui {

/// What is known of one texel of a study's image.
struct TexelReadout {
    std::string image;
    Texel texel;
    /// The elements of the tensor that it holds, see elements_text(); empty for a trace, which has
    /// no tensor.
    QString elements;
    std::int64_t offset = 0; ///< of its first byte in the image's storage
    std::int64_t line = 0;   ///< L1 line of the image that holds that byte, from 0
    /// The set of L1 in which that line may lie; nothing where there is only one set.
    std::optional<std::int64_t> set;
    struct Block {
        Texel at; ///< counted in blocks
        Extent2D extent;
    };
    /// Innermost one of the layout with more than a texel, where there is one.
    std::optional<Block> block;
    std::int64_t reads = 0;
    std::int64_t misses = 0;
    std::int64_t compulsory = 0;
    std::int64_t capacity = 0;
    std::int64_t conflict = 0;
    std::int64_t evictions = 0;
    struct LastRead {
        WarpNumber warp;
        std::int64_t access_index = 0; ///< number of the warp access, from 1
    };
    std::optional<LastRead> last; ///< nothing where nothing read it, or where that is not known
};

/// The read-out of a texel inside of an image of a launch. `stored`: the image in memory; `last`:
/// which warps read the launch's texels last, or null where that is not known.
[[nodiscard]] TexelReadout read_out(const LaunchResult& launch, std::size_t image,
                                    const StoredImage& stored, const LastTouches* last,
                                    Texel texel);

/// On one line, for a status bar that has no room for block and last reader; and on several short
/// ones.
[[nodiscard]] QString one_line(const TexelReadout& readout);
[[nodiscard]] QString several_lines(const TexelReadout& readout);

} // namespace texelscope::gui
