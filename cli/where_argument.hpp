#pragma once

#include "cli/command.hpp"
#include "workbench/space/where.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace texelscope::cli {

/// `--where EXPR ...`: conditions on the configurations that are searched, such as "warp_x >=
/// warp_y". A configuration must fulfil all of them. For tune and sweep.
struct WhereArgument {
    std::vector<std::string> conditions; ///< texts; all must hold

    void add_to(CLI::App& parser);
};

/// How many configurations each condition excludes, as lines of text; empty where there are no
/// conditions.
[[nodiscard]] std::string where_text(const SpaceCounts& counts);

} // namespace texelscope::cli
