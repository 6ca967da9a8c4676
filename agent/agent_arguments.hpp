#pragma once

#include "agent/work.hpp"

#include <string>
#include <vector>

namespace texelscope::agent {

struct Arguments {
    enum class What { run, serve, serve_list, list, describe, help, version };
    What what = What::run;
    WorkOrder order;
    std::string results_file;
    std::string listing_file; ///< of What::describe
    bool isolate = false;
    bool resume = false;
};

/// Throws bad_input on anything that is no argument of the program.
[[nodiscard]] Arguments parse(const std::vector<std::string>& words);

[[nodiscard]] std::string usage();

} // namespace texelscope::agent
