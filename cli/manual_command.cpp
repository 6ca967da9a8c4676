#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/completion.hpp"
#include "cli/described_command.hpp"
#include "cli/manual_page.hpp"
#include "cli/result_file.hpp"
#include "cli/terminal.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace texelscope::cli {
namespace {

struct ManualArguments {
    std::string page;
    std::string folder;
};

/// Prints a page, or writes all of them into a folder.
int print_manual(const DescribedCommand& program, const ManualArguments& arguments,
                 const GlobalOptions& global)
{
    // All pages are made even for one: they take no time.
    const std::vector<ManualPage> pages = manual_pages(program, TEXELSCOPE_VERSION);
    if (!arguments.folder.empty()) {
        make_output_folder(arguments.folder, "--output");
        for (const ManualPage& page : pages) {
            write_file_atomically((std::filesystem::path(arguments.folder) / page.name).string(),
                                  page.roff);
        }
        print_note(global, std::to_string(pages.size()) + " pages written to " + arguments.folder);
        return exit_code::done;
    }
    const std::string name =
        arguments.page.empty() ? "texelscope.1" : "texelscope-" + arguments.page + ".1";
    const auto found = std::ranges::find(pages, name, &ManualPage::name);
    if (found == pages.end()) {
        throw bad_input("there is no subcommand '" + arguments.page + "'", "manual",
                        "see texelscope --help");
    }
    print_text(found->roff);
    return exit_code::done;
}

} // namespace

Command completion_command(CLI::App& app, const GlobalOptions&)
{
    CLI::App* parser = app.add_subcommand(
        "completion", "a script that completes the command line: for bash, zsh or fish");
    const auto shell = std::make_shared<std::string>();
    parser->add_option("shell", *shell, "the shell")
        ->required()
        ->check(CLI::IsMember(
            std::vector<std::string>(completed_shells.begin(), completed_shells.end())));
    return {parser, [&app, shell] {
                print_text(completion_script(described(app), *shell));
                return exit_code::done;
            }};
}

Command manual_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser =
        app.add_subcommand("manual", "a manual page, for man: of a subcommand, or of the whole");
    const auto arguments = std::make_shared<ManualArguments>();
    CLI::Option* const page = parser->add_option("page", arguments->page, "the subcommand");
    parser->add_option("-o,--output", arguments->folder, "folder to write all pages to")
        ->excludes(page);
    return {parser, [&app, arguments, &global] {
                return print_manual(described(app), *arguments, global);
            }};
}

} // namespace texelscope::cli
