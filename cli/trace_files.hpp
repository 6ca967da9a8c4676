#pragma once

#include "cli/arguments.hpp"
#include "sim/address_trace.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::cli {

/// A trace format: the native one, plain CSV, or one of other programs.
struct FileFormat {
    enum class Kind { native, csv, addresses };
    Kind kind = Kind::csv;
    AddressFormat addresses = AddressFormat::din; ///< where it is one of these
};

/// "native", "csv", "din", "din-binary", "oracle-general", "traceg".
[[nodiscard]] std::vector<std::string> format_names();
/// The format that was named, or else the one that the file's name ends in: .tst, .csv, .din, .d4b, .oracleGeneral,
/// .traceg, each also with .gz or .zst behind it. Throws bad_input where neither says.
[[nodiscard]] FileFormat file_format(const std::string& format, const std::string& path);

/// How traces are written.
struct TraceOutput {
    std::string path; ///< empty or "-": standard output, in plain CSV
    std::string format;
    std::string layout = "row";
    int warp_size = 64;
    std::string traceg_addresses = "shortest";

    void add_to(CLI::App& parser);
    [[nodiscard]] bool to_standard_output() const { return path.empty() || path == "-"; }

    struct Written {
        std::int64_t reads = 0;
        std::vector<std::string> notes; ///< what the format could not hold
    };
    /// `recorded`: the launch, where more is known of it than the source says; `program`: for the native format.
    [[nodiscard]] Written write(const TraceSource& source, const std::optional<TracedLaunch>& recorded,
                                const std::string& program) const;
};

} // namespace texelscope::cli
