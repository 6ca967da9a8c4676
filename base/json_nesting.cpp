#include "base/json_nesting.hpp"

#include "base/error.hpp"

namespace texelscope::base {

void check_json_nesting(std::string_view text, const std::string& where)
{
    constexpr int deepest = 100;
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            i += c == '\\' ? 1 : 0; // what follows ends no text
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > deepest) {
                throw bad_input("values are nested more than 100 deep", where,
                                "this is no file of texelscope");
            }
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
}

} // namespace texelscope::base
