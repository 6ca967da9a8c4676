#pragma once

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/trace_files.hpp"

#include <string>

namespace texelscope::cli {

/// The arguments of the subcommands of `trace`; each takes some of them.
struct TraceCommandArguments {
    TraceArguments trace;
    TraceOutput output;
    std::string from; ///< format of the file that is read
    bool salvage = false;
    bool verify = false; ///< reads every access
    std::string second;  ///< the other trace of a comparison
    bool accesses_only = false;
    std::int64_t count = 20;
};

/// Loads an operator's trace, or a file that TraceArguments::load() reads. Where a file of another
/// format is at fault, the error says how it would be read.
[[nodiscard]] TraceArguments::Loaded load_trace(const TraceArguments& trace);
/// Opens a native trace. Such a trace declares its images itself, so declarations among the
/// arguments are refused.
[[nodiscard]] TraceFile open_native(const TraceCommandArguments& arguments);

/// `trace export` and `trace generate`: an operator's trace, or any that the simulator reads.
int export_trace(const TraceCommandArguments& arguments, const GlobalOptions& global);
/// `trace import`: a trace in any format.
int import_trace(const TraceCommandArguments& arguments, const GlobalOptions& global);

} // namespace texelscope::cli
