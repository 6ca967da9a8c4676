#pragma once

#include "experiments/render/png.hpp"

#include <string_view>

namespace texelscope::experiments {

/// A font of 5 x 7 dots for labels in pictures: ASCII letters, digits and the usual signs; anything else is an empty
/// box. A character takes 6 x 9 dots with its spacing (g, p, q, y and the comma hang two dots below the line).
inline constexpr int font_advance = 6;
inline constexpr int font_height = 9;

/// Width in pixels of a text whose dots are `dot` x `dot` pixels.
[[nodiscard]] int text_width(std::string_view text, int dot);

/// Draws into the picture with the top left corner of the first character at (x, y). What falls outside is left out.
void draw_text(Picture& picture, int x, int y, std::string_view text, Rgb colour, int dot);

} // namespace texelscope::experiments
