#pragma once

#include "experiments/study.hpp"
#include "sim/texel_layout.hpp"

#include <QString>

namespace texelscope {

/// What is known of one texel of a study's image.
struct TexelReadout {
    std::string image;
    Texel texel;
    std::int64_t offset = 0; ///< of its first byte in the image's storage
    std::int64_t line = 0;   ///< L1 line of the image that holds that byte, from 0
    std::int64_t reads = 0;
    std::int64_t misses = 0;
    std::int64_t compulsory = 0;
    std::int64_t capacity = 0;
    std::int64_t conflict = 0;
    std::int64_t evictions = 0;
};

/// `layout`: the image's; the texel is inside of the image.
[[nodiscard]] TexelReadout read_out(const StudyImage& image, const TexelLayout& layout, Bytes line, Texel texel);

/// On one line, and on several short ones.
[[nodiscard]] QString one_line(const TexelReadout& readout);
[[nodiscard]] QString several_lines(const TexelReadout& readout);

} // namespace texelscope
