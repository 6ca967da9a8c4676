#pragma once

#include "cli/command.hpp"

#include <cstddef>
#include <string>

namespace texelscope::cli {

/// `experiment measured-phones`: how well the judges foretell kernels that others measured on
/// phones.
struct MeasuredPhonesArguments {
    std::string logs;           ///< a folder or file of AutoTVM's logs
    std::string device;         ///< of all logs; empty: by the names of their folders
    std::string judge = "both"; ///< model, simulator or both
    std::size_t rows = 200;     ///< kernels of a task; 0: all
    std::size_t threads = 0;    ///< 0: all cores
    std::string plot;           ///< F.svg or F.png; empty: none
};

/// Reads, judges and prints. Without logs, a line that says where they are to be had.
int run_measured_phones(const MeasuredPhonesArguments& arguments, const GlobalOptions& global);

} // namespace texelscope::cli
