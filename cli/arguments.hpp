#pragma once

#include "cli/command.hpp"
#include "codegen/operator.hpp"
#include "devices/device_profile.hpp"
#include "traces/trace_source.hpp"

#include <memory>
#include <string>
#include <vector>

namespace texelscope::cli {

/// `--op NAME --shape ... --config "..."`.
struct OperatorArguments {
    std::string op = "matmul";
    std::string shape;
    std::string config;

    /// `needs_config`: some subcommands search the configurations themselves.
    void add_to(CLI::App& parser, bool needs_config, bool required);
    [[nodiscard]] Operator parsed_operator() const;
    /// The configuration given, or the operator's default one.
    [[nodiscard]] Schedule parsed_schedule() const;
};

/// `--device NAME|FILE.xml --set KEY=VALUE ...`.
struct DeviceArguments {
    std::string device = "adreno-740";
    std::vector<std::string> overrides;

    void add_to(CLI::App& parser);
    /// The profile with the overrides applied.
    [[nodiscard]] DeviceProfile profile() const;
};

/// What a subcommand reads accesses from: a trace file with `--image` declarations, or operator and configuration.
struct TraceArguments {
    std::string file;
    std::vector<std::string> images;
    std::string address_mode; ///< of a trace's images; empty: border
    OperatorArguments op;

    void add_to(CLI::App& parser);
    [[nodiscard]] bool from_file() const { return !file.empty(); }
    /// The source; a nest where it was made from one (for its registers and arithmetic).
    struct Loaded {
        std::unique_ptr<TraceSource> source;
        std::optional<LoopNest> nest;
        std::optional<Launch> launch;
    };
    [[nodiscard]] Loaded load() const;
};

/// Names of the model's variants, for `--variant`.
[[nodiscard]] std::vector<std::string> variant_names();

/// Every key of `--set` with its value, numbers as numbers.
[[nodiscard]] ordered_json settings_json(const SimulationOptions& options);

/// An object with the schema's name and the program's version.
[[nodiscard]] ordered_json json_result(const std::string& schema);

} // namespace texelscope::cli
