#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "sim/simulate.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <vector>

namespace {

using namespace texelscope::cli;

/// Prints what is wrong on one line: newlines in it become spaces. It takes no memory, because it
/// may report that there is none left; hence stdio rather than strings.
int fail(const char* line, int code, const char* begin = "")
{
    std::fprintf(stderr, "texelscope: %s", begin);
    while (*line != '\0') {
        const std::size_t length = std::strcspn(line, "\n");
        std::fwrite(line, 1, length, stderr);
        line += length;
        if (*line != '\0') {
            std::fputc(' ', stderr);
            ++line;
        }
    }
    std::fputc('\n', stderr);
    return code;
}

int fail(const std::string& line, int code)
{
    return fail(line.c_str(), code);
}

constexpr const char* out_of_memory = "out of memory; use a smaller shape";

/// Whether no thread could be started, or something else failed, for want of memory.
bool is_shortage(const std::system_error& error)
{
    return error.code() == std::errc::resource_unavailable_try_again ||
           error.code() == std::errc::not_enough_memory;
}

/// The subcommands that were given, each with a space behind it: "trace info ". An error names the
/// help page of just that subcommand.
std::string chosen_words(const CLI::App& app)
{
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? "" : chosen.front()->get_name() + " " + chosen_words(*chosen.front());
}

int run(int argc, char** argv)
{
    CLI::App app{"Texelscope: a workbench for the 2D texture memory of mobile GPUs", "texelscope"};
    app.set_version_flag("--version", std::string("texelscope ") + TEXELSCOPE_VERSION);
    app.require_subcommand(1);
    // Options of the program (--json, --seed) may also stand behind the subcommand.
    app.fallthrough();
    app.option_defaults()->always_capture_default();
    GlobalOptions global;
    app.add_flag("--json", global.json, "print one JSON object");
    app.add_flag("--quiet", global.quiet, "no notes and no progress on standard error");
    app.add_option("--seed", global.seed, "seed of everything random")
        ->check(CLI::NonNegativeNumber);
    std::string study;
    app.add_option(
        "--study", study,
        "a study's file, as the workbench saves it: its operator, configuration, device and seed, "
        "where these are not given");

    const std::vector<Command> commands{
        devices_command(app, global),    simulate_command(app, global),
        histogram_command(app, global),  predict_command(app, global),
        tune_command(app, global),       generate_command(app, global),
        run_command(app, global),        compile_command(app, global),
        explain_command(app, global),    crosscheck_command(app, global),
        trace_command(app, global),      diff_command(app, global),
        sweep_command(app, global),      results_command(app, global),
        experiment_command(app, global), probe_command(app, global),
        calibrate_command(app, global),  identify_command(app, global),
        phone_command(app, global),      network_command(app, global),
        gui_command(app, global),        completion_command(app, global),
        manual_command(app, global)};
    try {
        app.parse(argc, argv);
        if (!study.empty()) {
            // The study fills in only what was not given, so it can be read only after parsing.
            complete_by_study(study, app);
        }
    } catch (const Error& error) {
        return fail(error.what(), exit_code::bad_input);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            return app.exit(error); // --help and --version
        }
        // The parser's own message would only say that a subcommand is required; say which word is
        // none.
        const auto chosen = app.get_subcommands();
        if (chosen.empty() && argc > 1 && argv[1][0] != '-') {
            return fail("there is no subcommand '" + std::string(argv[1]) +
                            "'; see texelscope --help",
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
                // A full disk or a closed pipe shows only when the output is flushed. Without this,
                // half a result would end with exit code 0.
                return std::fflush(stdout) == 0 && std::ferror(stdout) == 0
                           ? code
                           : fail("standard output cannot be written", exit_code::bad_input);
            }
        }
    } catch (const Error& error) {
        end_progress(global);
        return fail(error.what(), error.kind() == Error::Kind::missing ? exit_code::missing
                                                                       : exit_code::bad_input);
    } catch (const Interrupted&) {
        end_progress(global);
        return fail("interrupted", exit_code::interrupted);
    } catch (...) {
        end_progress(global);
        throw;
    }
    return exit_code::bad_input;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        return run(argc, argv);
    } catch (const std::bad_alloc&) {
        return fail(out_of_memory, exit_code::bad_input);
    } catch (const std::filesystem::filesystem_error& error) {
        return fail(error.path1().string() + ": " + error.code().message() +
                        "; check the disk, and the permissions of file and folder",
                    exit_code::bad_input);
    } catch (const std::system_error& error) {
        return is_shortage(error) ? fail(out_of_memory, exit_code::bad_input)
                                  : fail(error.what(), exit_code::check_failed, "internal error: ");
    } catch (const std::exception& error) {
        return fail(error.what(), exit_code::check_failed, "internal error: ");
    }
}
