#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace texelscope::base {

/// ASCII letters as small ones, whatever the locale.
[[nodiscard]] std::string lower_case(std::string text);
/// ASCII letters as capitals, whatever the locale.
[[nodiscard]] std::string upper_case(std::string text);

/// Least number of insertions, deletions and replacements of single bytes that turn `a` into `b`
/// (Levenshtein). Used to find the name that was meant.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// C text that is written line by line, indented by four blanks for each open brace.
class IndentedText {
public:
    void line(std::string_view text) { line_of({text}); }
    /// A line of several pieces.
    void line_of(std::initializer_list<std::string_view> pieces);
    /// The lines of a block that may end in a newline.
    void lines(std::string_view block);
    /// A line that opens a brace; what follows lies in it.
    void open(std::string_view text);
    /// Closes the innermost brace.
    void close();

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
    std::size_t depth_ = 0;
};

} // namespace texelscope::base
