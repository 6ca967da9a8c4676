#include "traces/formats/traceg_words.hpp"

#include <algorithm>

namespace texelscope::traces::traceg {

std::string_view Words::next(const char* what)
{
    line_.remove_prefix(std::min(line_.find_first_not_of(" \t"), line_.size()));
    const std::string_view word = line_.substr(0, line_.find_first_of(" \t"));
    line_.remove_prefix(word.size());
    if (word.empty()) {
        throw bad_input(fmt::format("the line ends before its {}", what), where_, remedy);
    }
    return word;
}

std::array<std::int64_t, 3> triple(std::string_view text, const std::string& where)
{
    std::array<std::int64_t, 3> values{};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t end = text.find(',');
        std::uint32_t value = 0;
        if ((end == std::string_view::npos) != (i == 2) || !parse(text.substr(0, end), value, 10)) {
            throw bad_input("these are not three whole numbers", where, remedy);
        }
        values[i] = value;
        text.remove_prefix(std::min(end == std::string_view::npos ? end : end + 1, text.size()));
    }
    return values;
}

std::string_view value_of(std::string_view line, const std::string& where)
{
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
        throw bad_input("there is no '='", where, remedy);
    }
    line.remove_prefix(equals + 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return line;
}

} // namespace texelscope::traces::traceg
