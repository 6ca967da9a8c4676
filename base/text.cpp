#include "base/text.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace texelscope::base {
namespace {

/// Letters from `first` on as those from `other` on.
std::string shifted(std::string text, char first, char other)
{
    for (char& c : text) {
        if (c >= first && c < first + 26) {
            c = static_cast<char>(c - first + other);
        }
    }
    return text;
}

} // namespace

std::string lower_case(std::string text)
{
    return shifted(std::move(text), 'A', 'a');
}

std::string upper_case(std::string text)
{
    return shifted(std::move(text), 'a', 'A');
}

// The usual dynamic program, with one row at a time: row[j] is the distance of the first i bytes of
// `a` and the first j of `b`.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

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
