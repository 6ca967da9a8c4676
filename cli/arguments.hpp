#pragma once

#include "base/npy.hpp"
#include "cli/command.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/kernels/nest_job.hpp"
#include "devices/profile/device_profile.hpp"
#include "sim/options/occupancy.hpp"
#include "traces/native/trace_file.hpp"
#include "traces/trace_source.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::cli {

/// `--op NAME --shape ... --padding ... --config "..."`: what is computed, and how. Most
/// subcommands have these four; --study can bring them too.
struct OperatorArguments {
    std::string op = "matmul";
    std::string shape;
    std::string padding;
    std::string config;

    /// `needs_config`: some subcommands search the configurations themselves.
    void add_to(CLI::App& parser, bool needs_config);
    /// Throws bad_input, also where no shape was given.
    /// The operator of that name and shape.
    [[nodiscard]] Operator parsed_operator() const;
    /// The configuration given, or the operator's default one.
    [[nodiscard]] Schedule parsed_schedule() const;
};

/// `--device NAME|FILE.xml --set KEY=VALUE ...`.
struct DeviceArguments {
    std::string device = "adreno-740";
    std::vector<std::string> overrides;
    /// "estimated", or "compiled": as a real compiler says, which must have been fetched.
    std::string registers = "estimated";

    void add_to(CLI::App& parser);
    /// `--registers`, where kernels run on the profile.
    void add_registers_to(CLI::App& parser);
    /// `--set` alone, where the device is named otherwise; `when` is put in front of what it does.
    void add_overrides_to(CLI::App& parser, const std::string& when = {});
    /// The profile with the overrides applied, and with its compiler where registers are to be
    /// compiled. Throws missing where there is none.
    [[nodiscard]] DeviceProfile profile() const;
};

/// What a subcommand reads accesses from: a trace file (native, or CSV with `--image`
/// declarations), or operator and configuration. load() makes a TraceSource of either, so that
/// nobody behind it needs to know which it was.
struct TraceArguments {
    std::string file;
    std::optional<int> launch; ///< of a native trace; nothing: the only one
    std::vector<std::string> images;
    std::string address_mode; ///< of a trace's images; empty: border
    std::string local;        ///< of a native trace; empty: as recorded
    OperatorArguments op;

    void add_to(CLI::App& parser);
    /// `--local`, where work-groups matter.
    void add_local_to(CLI::App& parser);
    [[nodiscard]] bool from_file() const { return !file.empty(); }
    /// When reads of buffers are taken from a native trace.
    enum class BufferReads { none, where_alone, all };
    /// What was loaded: the source of accesses, and the loop nest where the source was made from
    /// one (for its registers and arithmetic).
    struct Loaded {
        std::unique_ptr<TraceSource> source;
        std::optional<LoopNest> nest;
        std::optional<Launch> launch;
        /// Where the trace says what the launch was; its local size as it was recorded.
        std::optional<TracedLaunch> recorded;
        ReplayOptions replay; ///< of a native trace
        /// Number of reads of buffers that were recorded and are not in the source.
        std::int64_t buffer_reads_left_out = 0;

        /// What it is, for messages: operator and configuration, or the trace.
        [[nodiscard]] std::string text() const;
    };
    /// Opens the file, or lowers the operator. Throws bad_input where both or neither are given, or
    /// where an option belongs to the other kind of source.
    [[nodiscard]] Loaded load(BufferReads buffers = BufferReads::none) const;
    /// The work-groups that `--local` asks for. Throws bad_input where it is malformed.
    [[nodiscard]] std::optional<std::array<std::int64_t, 3>> chosen_local() const;
    /// The images that were declared.
    [[nodiscard]] std::vector<Image> declared() const;
    [[nodiscard]] AddressMode address() const
    {
        return address_mode == "edge" ? AddressMode::edge : AddressMode::border;
    }
    /// The number of the launch of a native trace that was asked for. Throws bad_input where there
    /// is none, or several and none was named.
    [[nodiscard]] int chosen_launch(const TraceFile& trace) const;
};

/// Throws bad_input for the first of the options that was given, though nothing would look at it:
/// "--jobs does not apply under mpirun; leave it out". `why` goes on behind "does not apply".
void refuse_options(const CLI::App& parser, const std::vector<std::string>& options,
                    const std::string& why, const std::string& remedy = "leave it out");

/// NAME=FILE pairs of an option. Throws bad_input where a name is not among the known ones, or is
/// given twice.
[[nodiscard]] std::map<std::string, std::string> named_files(const std::vector<std::string>& texts,
                                                             const std::vector<std::string>& known,
                                                             const std::string& option);

/// "X[,Y[,Z]]": one to three sizes of at least 1; those left out are 1. nullopt for anything else.
[[nodiscard]] std::optional<std::array<std::int64_t, 3>> parse_sizes(const std::string& text);

/// Reads the array of an input. Throws bad_input, also where it has NaN: no output that comes of it
/// can be compared.
[[nodiscard]] NpyArray read_input(const std::string& path, const std::string& tensor);

/// An option that may be given several times, with one value each.
CLI::Option* add_repeatable(CLI::App& parser, const std::string& name,
                            std::vector<std::string>& values, const std::string& about);

/// `--variant`, of the model; it stays empty where none is named.
void add_variant(CLI::App& parser, std::string& variant);

/// `--sample`, of a simulation that judges.
void add_sample(CLI::App& parser, std::int64_t& accesses);

/// `--samples`, of a run that judges.
void add_samples(CLI::App& parser, RunOptions& run);

/// Prints a note on which inputs of a nest lie in buffers. The texture cache does not see their
/// reads, and neither does any judge but the device.
void note_buffers(const GlobalOptions& global, const LoopNest& nest);

/// Prints a note where a kernel is expected to spill registers to memory on a device, and returns
/// that line for JSON.
std::optional<std::string> note_spills(const GlobalOptions& global, const LoopNest& nest,
                                       const DeviceProfile& device);

/// Prints a note on how many reads of buffers the source leaves out; `why` goes on behind it.
void note_left_out(const GlobalOptions& global, const TraceArguments::Loaded& loaded,
                   const std::string& why);

/// Prints a note where a launch is replayed in groups of one work-item, which the program may not
/// have asked for.
void note_local(const GlobalOptions& global, const TraceArguments::Loaded& loaded);

/// An object with the schema's name and the program's version, and behind them `members`.
[[nodiscard]] ordered_json json_result(const std::string& schema,
                                       const ordered_json& members = ordered_json::object());

/// `--study FILE`, after the command line was parsed: gives the options of the chosen subcommand
/// the study's operator, shape, padding, configuration, device, overrides and seed, as far as it
/// has such options and they were not given. Throws bad_input where the file is no study, or the
/// subcommand takes none.
void complete_by_study(const std::string& file, CLI::App& app);

} // namespace texelscope::cli
