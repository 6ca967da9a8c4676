#pragma once

#include "cli/arguments.hpp"
#include "sim/observers/address_export.hpp"
#include "sim/observers/address_import.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::cli {

/// A trace format: the native one, plain CSV, or one of other programs (`addresses`: it has byte
/// addresses, where ours have texels).
struct FileFormat {
    enum class Kind { native, csv, addresses };
    Kind kind = Kind::csv;
    AddressFormat addresses = AddressFormat::din; ///< where it is one of these
};

/// "native", "csv", "din", "din-binary", "oracle-general", "traceg".
[[nodiscard]] std::vector<std::string> format_names();
/// What the file's name ends in, as one of these: .tst, .csv, .din, .d4b, .oracleGeneral
/// (.oracleGeneral.bin), .traceg, each also with .gz, .xz or .zst behind it. Empty where it says
/// nothing.
[[nodiscard]] std::string format_by_name(const std::string& path);
/// The format that was named, or else the one of the file's name. Throws bad_input where neither
/// says; `option` is the one that would.
[[nodiscard]] FileFormat file_format(const std::string& format, const std::string& path,
                                     const char* option = "--format");
/// Throws bad_input where no native trace is written by that name: standard output, or compressed
/// once more.
void check_native_name(const std::string& path);

/// How traces are written: `-o`, `--format` and what formats need. The formats of other programs
/// hold byte addresses instead of texels. So `layout` says where texels lie in memory, and
/// `warp_size` in which order the addresses come.
struct TraceOutput {
    std::string path; ///< empty or "-": standard output, in plain CSV unless a format is named
    std::string format;
    std::string layout = "row";
    int warp_size = 64;
    std::string traceg_addresses = "shortest";

    void add_to(CLI::App& parser);
    [[nodiscard]] bool to_standard_output() const { return path.empty() || path == "-"; }

    /// The format that is written. Throws bad_input where nothing says which, or the name is not
    /// one for it.
    [[nodiscard]] FileFormat chosen() const;

    struct Written {
        std::int64_t reads = 0;
        std::vector<std::string> notes; ///< what the format could not hold
    };
    /// `recorded`: the launch, where more is known of it than the source says; `program`: for the
    /// native format.
    [[nodiscard]] Written write(const TraceSource& source,
                                const std::optional<TracedLaunch>& recorded,
                                const std::string& program) const;

private:
    void write_text(const std::function<void(std::ostream&)>& write) const;
};

} // namespace texelscope::cli
