#include "cli/where_argument.hpp"

#include "cli/arguments.hpp"
#include "cli/terminal.hpp"
#include "codegen/nest/schedule_parts.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace texelscope::cli {

void WhereArgument::add_to(CLI::App& parser)
{
    std::vector<std::string> names;
    for (const SchedulePart& part : schedule_parts()) {
        // Names in conditions: tile_x, tile_y for the sides of a part, pattern_1, pattern_2 for
        // what it says of each tensor.
        const bool sides = part.kind == SchedulePart::Kind::sides;
        const std::string_view axes =
            sides ? std::string_view("_x|y|z").substr(0, 2 * part.sides) : "";
        names.push_back(fmt::format("{}{}", part.name,
                                    part.kind == SchedulePart::Kind::tensors ? "_1.." : axes));
    }
    add_repeatable(
        parser, "--where", conditions,
        fmt::format(
            "condition on the configurations that are searched, e.g. \"tile_x * tile_y <= 16 and "
            "pattern_1 != 'row'\" (repeatable: all must hold); over {}; see "
            "docs/reference/configurations.md",
            fmt::join(names, ", ")))
        ->type_name("EXPR");
}

std::string where_text(const SpaceCounts& counts)
{
    if (counts.conditions.empty()) {
        return "";
    }
    std::vector<Cells> rows;
    for (const SpaceCounts::Condition& condition : counts.conditions) {
        rows.push_back({condition.text, count_text(condition.excluded)});
    }
    return fmt::format("excluded {} of {} configurations by --where, {} are left\n",
                       count_text(counts.excluded()), count_text(counts.size),
                       count_text(counts.kept)) +
           format_table({"condition", "excludes first"}, rows);
}

} // namespace texelscope::cli
