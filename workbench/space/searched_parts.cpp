#include "workbench/space/searched_parts.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "codegen/nest/schedule_parts.hpp"

#include <fmt/format.h>

namespace texelscope::workbench::space {

std::string parse_parts(const std::string& text)
{
    // The order is that of the schedule's text.
    const std::string known = "ATDWGNLURSMFPCV";
    if (text == "all") {
        return known;
    }
    std::string parts;
    for (const std::string& part : values_of(text, ',')) {
        if (part.size() != 1 || known.find(part) == std::string::npos) {
            throw bad_input("'" + part + "' is no part to search", "--parts",
                            "parts are " + joined(known, [](char key) {
                                return fmt::format("{} ({})", key, schedule_part(key).about);
                            }) + ", or all");
        }
        if (parts.find(part) != std::string::npos) {
            throw bad_input("the part " + part + " occurs twice", "--parts",
                            "name each once, e.g. A,T,W,G,M");
        }
        parts += part;
    }
    if (parts.empty()) {
        throw bad_input("no part is named", "--parts", "name some, e.g. A,T,W,G,M");
    }
    return parts;
}

std::string parts_text(const std::string& parts)
{
    return joined(
        parts, [](char key) { return std::string(1, key); }, ",");
}

} // namespace texelscope::workbench::space
