#pragma once

#include "codegen/nest/schedule.hpp"

#include <functional>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// A part of a schedule: one row, which its text, the flat parameters of auto-tuners, conditions,
/// the choices of a space and the knobs of searches read.
struct SchedulePart {
    enum class Kind {
        tensors, ///< a word for each tensor: "block4,column"
        sides,   ///< sizes along x, y, z: "16x8x1"
        loops,   ///< names of loops: "kh,kw"; empty: none
        number,
        word,
    };
    char key;
    /// Of its parameter; of tensors and sides one for each, e.g. pattern_1, tile_x.
    std::string name;
    std::string about; ///< what it is, in a few words
    Kind kind = Kind::word;
    /// That it, or each of its values, can be; none for numbers and loops.
    std::vector<std::string> words = {};
    std::size_t sides = 0; ///< of those kinds: most of them
    bool always = false;   ///< printed even where it is the default
    std::function<std::string(const Schedule&)> write;
    /// Throws bad_input, naming `where`, for text that is malformed.
    std::function<void(Schedule&, const std::string& text, const std::string& where)> read;
    std::function<void(Schedule& to, const Schedule& from)> copy;
    std::string absent = {}; ///< what it is where the text does not say it

    [[nodiscard]] bool shown(const Schedule& schedule) const
    {
        return always || write(schedule) != absent;
    }
};

/// In the order in which they are printed.
[[nodiscard]] const std::vector<SchedulePart>& schedule_parts();

/// That of a key, which must be one.
[[nodiscard]] const SchedulePart& schedule_part(char key);

/// The texts between the separators; none of an empty text.
[[nodiscard]] std::vector<std::string> values_of(const std::string& text, char separator);

} // namespace texelscope::codegen
