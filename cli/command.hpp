#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::cli {

using nlohmann::ordered_json;

/// Exit codes of the program; `manual` prints what they mean. `check_failed` is for an output that
/// is wrong, for traces or results that differ, and for internal errors. `interrupted` is 128 +
/// SIGINT, as shells have it.
namespace exit_code {
inline constexpr int done = 0, check_failed = 1, bad_input = 2, missing = 3, interrupted = 130;
} // namespace exit_code

/// Options that every subcommand takes.
struct GlobalOptions {
    bool json = false;
    bool quiet = false;
    std::uint64_t seed = 1;
};

/// A subcommand: its parser, and what it does once the arguments are parsed (returns the exit
/// code).
///
/// Each cli/*_command.cpp makes one: xxx_command() adds a parser to the program, binds its options
/// to a struct of arguments that lives as long as the command, and returns both. main() parses the
/// command line, then calls `run` of the one command whose parser was chosen. `run` turns the
/// arguments into values, calls the library, and prints: data to standard output, everything else
/// to standard error. Errors leave it as exceptions, which main() makes exit codes of.
struct Command {
    CLI::App* parser = nullptr;
    std::function<int()> run;
    /// Asks interrupted() while it works; others are ended by the signal itself.
    bool polls_interrupts = false;
};

/// A command that has subcommands of its own, such as `trace`: it runs the one of them that was
/// given, and it is an error to give none.
[[nodiscard]] Command command_of(CLI::App* parser, std::vector<Command> subcommands);

/// Adds a subcommand that does `work`; returns its parser, and its arguments, which it keeps.
template <class Arguments>
std::pair<CLI::App*, Arguments*> add_subcommand(std::vector<Command>& subcommands, CLI::App& parent,
                                                const char* name, const char* about,
                                                int (*work)(const Arguments&, const GlobalOptions&),
                                                const GlobalOptions& global)
{
    CLI::App* parser = parent.add_subcommand(name, about);
    const auto arguments = std::make_shared<Arguments>();
    subcommands.push_back({parser, [=, &global] { return work(*arguments, global); }});
    return {parser, arguments.get()};
}

// One maker for each subcommand, in a file of its own. The options must outlive the command.
Command devices_command(CLI::App& app, const GlobalOptions& global);
Command simulate_command(CLI::App& app, const GlobalOptions& global);
Command histogram_command(CLI::App& app, const GlobalOptions& global);
Command predict_command(CLI::App& app, const GlobalOptions& global);
Command tune_command(CLI::App& app, const GlobalOptions& global);
Command generate_command(CLI::App& app, const GlobalOptions& global);
Command run_command(CLI::App& app, const GlobalOptions& global);
Command compile_command(CLI::App& app, const GlobalOptions& global);
Command explain_command(CLI::App& app, const GlobalOptions& global);
Command crosscheck_command(CLI::App& app, const GlobalOptions& global);
Command trace_command(CLI::App& app, const GlobalOptions& global);
Command diff_command(CLI::App& app, const GlobalOptions& global);
Command sweep_command(CLI::App& app, const GlobalOptions& global);
Command results_command(CLI::App& app, const GlobalOptions& global);
Command probe_command(CLI::App& app, const GlobalOptions& global);
Command calibrate_command(CLI::App& app, const GlobalOptions& global);
Command identify_command(CLI::App& app, const GlobalOptions& global);
Command phone_command(CLI::App& app, const GlobalOptions& global);
Command experiment_command(CLI::App& app, const GlobalOptions& global);
/// Below the parser of `trace`.
Command capture_command(CLI::App& trace, const GlobalOptions& global);
Command network_command(CLI::App& app, const GlobalOptions& global);
Command gui_command(CLI::App& app, const GlobalOptions& global);
Command completion_command(CLI::App& app, const GlobalOptions& global);
Command manual_command(CLI::App& app, const GlobalOptions& global);

} // namespace texelscope::cli
