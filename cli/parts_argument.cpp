#include "cli/parts_argument.hpp"

#include "cli/terminal.hpp"
#include "workbench/space/searched_parts.hpp"

#include <fmt/format.h>

namespace texelscope::cli {

void PartsArgument::add_to(CLI::App& parser)
{
    parser
        .add_option("--parts", text,
                    "parts of a configuration that are searched, e.g. A,T,W,G,M; all for every "
                    "one; the others are the "
                    "operator's defaults; see docs/reference/searches.md")
        ->type_name("LETTERS");
}

std::string PartsArgument::parts() const
{
    return text.empty() ? std::string() : workbench::space::parse_parts(text);
}

std::string not_priced_text(std::int64_t count, const std::string& refusal)
{
    return count == 0
               ? ""
               : fmt::format("{} looked at and not priced, e.g. {}\n", count_text(count), refusal);
}

} // namespace texelscope::cli
