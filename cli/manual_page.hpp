#pragma once

#include "cli/described_command.hpp"

#include <string>
#include <vector>

namespace texelscope::cli {

/// A page for man(1).
struct ManualPage {
    std::string name; ///< of the file: "texelscope-simulate.1"
    std::string roff; ///< man(7)
};

/// texelscope(1), and a page for each of its subcommands, with those below them in sections.
[[nodiscard]] std::vector<ManualPage> manual_pages(const DescribedCommand& program,
                                                   const std::string& version);

} // namespace texelscope::cli
