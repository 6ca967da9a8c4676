#pragma once

#include "base/layers.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace texelscope::base {

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
