#include "base/letter_case.hpp"

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

} // namespace texelscope::base
