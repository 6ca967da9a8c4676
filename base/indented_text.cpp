#include "base/indented_text.hpp"

#include <algorithm>
#include <cstddef>

namespace texelscope::base {

void IndentedText::line_of(std::initializer_list<std::string_view> pieces)
{
    const std::size_t start = text_.size() + depth_ * 4;
    std::size_t end = start;
    for (const std::string_view piece : pieces) {
        end += piece.size();
    }
    text_.resize(end + 1, ' ');
    auto next = text_.begin() + static_cast<std::ptrdiff_t>(start);
    for (const std::string_view piece : pieces) {
        next = std::copy(piece.begin(), piece.end(), next);
    }
    *next = '\n';
}

void IndentedText::lines(std::string_view block)
{
    while (!block.empty()) {
        const std::size_t end = std::min(block.find('\n'), block.size());
        line(block.substr(0, end));
        block.remove_prefix(std::min(end + 1, block.size()));
    }
}

void IndentedText::open(std::string_view text)
{
    line(text);
    ++depth_;
}

void IndentedText::close()
{
    --depth_;
    line("}");
}

} // namespace texelscope::base
