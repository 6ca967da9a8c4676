#include "codegen/nest/compute_text.hpp"

#include <algorithm>
#include <charconv>

namespace texelscope::codegen {
namespace {

int occurrences(std::string_view text, std::string_view word)
{
    int count = 0;
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        ++count;
    }
    return count;
}

/// Of "for (int other = 1; other < 4; ++other)": 4; 0 without a loop.
int loop_bound(std::string_view text)
{
    int bound = 0;
    if (const std::size_t loop = text.find("for (int "); loop != std::string_view::npos) {
        const std::string_view after = text.substr(text.find("< ", loop) + 2);
        std::from_chars(after.data(), after.data() + after.size(), bound);
    }
    return bound;
}

} // namespace

ComputeText::ComputeText(std::string_view text)
    : synchronizes(text.find("barrier(") != std::string_view::npos), parts(loop_bound(text)),
      carries(text.starts_with("CARRY(")),
      joins(!synchronizes && text.find(" = (") != std::string_view::npos && text.find(")(") != std::string_view::npos &&
            text.find("PICK(") == std::string_view::npos && text.find(" ? ") == std::string_view::npos),
      exponentials(occurrences(text, "exp(") + occurrences(text, "log(") + occurrences(text, "tanh(") +
                   occurrences(text, "pow(") + occurrences(text, "sin(") + occurrences(text, "cos(") +
                   2 * occurrences(text, "erf("))
{
    const auto operators = static_cast<int>(
        std::count_if(text.begin(), text.end(), [](char c) { return c == '+' || c == '-' || c == '*' || c == '/'; }));
    operations = operators + 4 * exponentials + 2 * occurrences(text, "sqrt(") + occurrences(text, "fmax(") +
                 occurrences(text, "fmin(") + occurrences(text, "select(") + occurrences(text, " ? ") +
                 3 * occurrences(text, "PICK(");
}

} // namespace texelscope::codegen
