#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "sim/simulate.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace texelscope::cli;

/// Says what is wrong on one line.
int fail(const std::string& line, int code)
{
    std::string one_line = line;
    for (char& c : one_line) {
        c = c == '\n' ? ' ' : c;
    }
    std::fprintf(stderr, "texelscope: %s\n", one_line.c_str());
    return code;
}

/// The subcommands that were given, each with a space behind it: "trace info ".
std::string chosen_words(const CLI::App& app)
{
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? "" : chosen.front()->get_name() + " " + chosen_words(*chosen.front());
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app{"Texelscope: a workbench for the 2D texture memory of mobile GPUs", "texelscope"};
    app.set_version_flag("--version", std::string("texelscope ") + TEXELSCOPE_VERSION);
    app.require_subcommand(1);
    app.fallthrough();
    app.option_defaults()->always_capture_default();
    GlobalOptions global;
    app.add_flag("--json", global.json, "print one JSON object");
    app.add_flag("--quiet", global.quiet, "no notes and no progress on standard error");
    app.add_option("--seed", global.seed, "seed of everything random")->check(CLI::NonNegativeNumber);
    std::string study;
    app.add_option("--study", study,
                   "a study's file, as the workbench saves it: its operator, configuration, device and seed, "
                   "where these are not given");

    const std::vector<Command> commands{
        devices_command(app, global),   simulate_command(app, global),   histogram_command(app, global),
        predict_command(app, global),   tune_command(app, global),       generate_command(app, global),
        run_command(app, global),       compile_command(app, global),    crosscheck_command(app, global),
        trace_command(app, global),     diff_command(app, global),       sweep_command(app, global),
        results_command(app, global),   experiment_command(app, global), probe_command(app, global),
        calibrate_command(app, global), identify_command(app, global),   network_command(app, global),
        gui_command(app, global),       completion_command(app, global), manual_command(app, global)};
    try {
        app.parse(argc, argv);
        if (!study.empty()) {
            complete_by_study(study, app);
        }
    } catch (const Error& error) {
        return fail(error.what(), exit_code::bad_input);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            return app.exit(error); // --help and --version
        }
        const auto chosen = app.get_subcommands();
        if (chosen.empty() && argc > 1 && argv[1][0] != '-') {
            return fail("there is no subcommand '" + std::string(argv[1]) + "'; see texelscope --help",
                        exit_code::bad_input);
        }
        return fail(std::string(error.what()) + "; see texelscope " + chosen_words(app) + "--help",
                    exit_code::bad_input);
    }
    try {
        for (const Command& command : commands) {
            if (command.parser->parsed()) {
                if (command.polls_interrupts) {
                    install_interrupt_handler();
                }
                const int code = command.run();
                end_progress(global);
                return std::fflush(stdout) == 0 && std::ferror(stdout) == 0
                           ? code
                           : fail("standard output cannot be written", exit_code::bad_input);
            }
        }
    } catch (const Error& error) {
        end_progress(global);
        return fail(error.what(), error.kind() == Error::Kind::missing ? exit_code::missing : exit_code::bad_input);
    } catch (const Interrupted&) {
        end_progress(global);
        return fail("interrupted", exit_code::interrupted);
    } catch (const std::bad_alloc&) {
        end_progress(global);
        return fail("out of memory; use a smaller shape", exit_code::bad_input);
    } catch (const std::exception& error) {
        end_progress(global);
        return fail(std::string("internal error: ") + error.what(), exit_code::check_failed);
    }
    return exit_code::bad_input;
}
