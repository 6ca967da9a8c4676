#pragma once

#include "codegen/nest/schedule.hpp"

#include <functional>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// One part of a schedule, such as T, as a row of a table. The text of schedules, the flat
/// parameters of auto-tuners, conditions, the choices of a space and the knobs of searches are all
/// derived from these rows.
struct SchedulePart {
    enum class Kind {
        tensors, ///< a word for each tensor: "block4,column"
        sides,   ///< sizes along x, y, z: "16x8x1"
        loops,   ///< names of loops: "kh,kw"; empty: none
        number,
        word,
    };
    char key;
    /// Name of its parameter in auto-tuners' files. Parts of the kinds tensors and sides have one
    /// parameter for each tensor or side, e.g. pattern_1, tile_x.
    std::string name;
    std::string about; ///< what it is, in a few words
    Kind kind = Kind::word;
    /// The words that the part, or each of its values, can be. Empty for numbers and loops.
    std::vector<std::string> words = {};
    std::size_t sides = 0; ///< the most sizes that a part of kind sides has
    bool always = false;   ///< it is printed even where it has its default
    std::function<std::string(const Schedule&)> write;
    /// Throws bad_input, naming `where`, for text that is malformed.
    std::function<void(Schedule&, const std::string& text, const std::string& where)> read;
    std::function<void(Schedule& to, const Schedule& from)> copy;
    std::string absent = {}; ///< the default: its text where a schedule does not say it

    [[nodiscard]] bool shown(const Schedule& schedule) const
    {
        return always || write(schedule) != absent;
    }
};

/// All parts, in the order in which they are printed.
[[nodiscard]] const std::vector<SchedulePart>& schedule_parts();

/// That of a key, which must be one.
[[nodiscard]] const SchedulePart& schedule_part(char key);

/// Splits a text at the separators. An empty text has no values.
[[nodiscard]] std::vector<std::string> values_of(const std::string& text, char separator);

} // namespace texelscope::codegen
