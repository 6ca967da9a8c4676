#include "codegen/indented_text.hpp"

#include <algorithm>

namespace texelscope {

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

} // namespace texelscope
