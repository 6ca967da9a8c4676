// Completion and manual pages against what --help prints, which CLI11 makes by itself.

#include "tests/cli/program.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

using Names = std::set<std::string>;

/// What a help text lists.
struct Help {
    Names options;
    Names commands;
};

Help help_of(const Words& path)
{
    Help help;
    std::istringstream lines(run_program(path + Words{"--help"}).output);
    bool commands = false;
    for (std::string line; std::getline(lines, line);) {
        commands = line == "Subcommands:" || (commands && line.starts_with("  "));
        std::smatch found;
        if (std::regex_search(line, found, std::regex("^  ([a-z]+) ")) && commands) {
            help.commands.insert(found[1]);
        } else if (line.starts_with("  -")) {
            const std::string names = line.substr(2, line.find(' ', 2) - 2);
            std::istringstream each(names);
            for (std::string name; std::getline(each, name, ',');) {
                help.options.insert(name);
            }
        }
    }
    return help;
}

/// Every subcommand with its help, the program itself among them.
std::map<Words, Help> all_help(const Words& path = {})
{
    std::map<Words, Help> all{{path, help_of(path)}};
    for (const std::string& name : Help(all.at(path)).commands) {
        all.merge(all_help(path + Words{name}));
    }
    return all;
}

/// Questions to bash: words so far, of which the last is to be completed. The answers, in their
/// order.
std::vector<Names> bash_answers(const std::vector<Words>& questions)
{
    const TemporaryFolder folder;
    std::ofstream(folder.file("completion")) << run_program({"completion", "bash"}).output;
    std::string script = "source " + folder.file("completion") + "\ncompopt() { :; }\n";
    for (const Words& words : questions) {
        script += fmt::format("COMP_WORDS=(texelscope '{}'); COMP_CWORD={}; _texelscope; echo "
                              "\"${{COMPREPLY[*]}}\"\n",
                              fmt::join(words, "' '"), words.size());
    }
    std::ofstream(folder.file("ask")) << script;
    const ProgramResult result = run_words({"bash", folder.file("ask")});
    CAPTURE(result.errors);
    REQUIRE(result.exit_code == 0);
    std::vector<Names> answers;
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        Names names;
        for (std::string word; words >> word;) {
            names.insert(word);
        }
        answers.push_back(std::move(names));
    }
    REQUIRE(answers.size() == questions.size());
    return answers;
}

bool is_there(const std::string& program)
{
    return run_words({"which", program}).exit_code == 0;
}

} // namespace

TEST_CASE("Completion offers the subcommands and options that --help lists")
{
    const std::map<Words, Help> all = all_help();
    REQUIRE(all.size() > 35);
    std::vector<Words> questions;
    for (const auto& [path, help] : all) {
        questions.push_back(path + Words{"-"});
        questions.push_back(path + Words{""});
    }
    const std::vector<Names> answers = bash_answers(questions);
    std::size_t i = 0;
    for (const auto& [path, help] : all) {
        INFO(fmt::format("texelscope {}", fmt::join(path, " ")));
        Names options = help.options;
        if (!path.empty()) { // those of the program, too
            options.insert({"--json", "--quiet", "--seed", "--study"});
        }
        CHECK(answers[i++] == options);
        if (help.commands.empty()) {
            ++i; // words that the arguments take
        } else {
            CHECK(answers[i++] == help.commands);
        }
    }
}

TEST_CASE("Completion offers the words that options and arguments take")
{
    const std::vector<Names> answers = bash_answers({{"simulate", "--op", "conv2d_"},
                                                     {"predict", "--device", "mali-g7"},
                                                     {"tune", "--strategy", "short"},
                                                     {"network", "plan", "vgg"},
                                                     {"network", "plan", "vgg-16", "--policy", "m"},
                                                     {"experiment", "tmmodel-table"},
                                                     {"simulate", "--scale", ""},
                                                     {"simulate", "--set", "l1.cap"},
                                                     {"simulate", "--heatmap", ""},
                                                     {"trace", "capture", "--ker"}});
    CHECK(answers[0] == Names{"conv2d_dx", "conv2d_dw"});
    CHECK(answers[1] == Names{"mali-g71", "mali-g710", "mali-g72", "mali-g76", "mali-g77",
                              "mali-g77-tmmodel", "mali-g78"});
    CHECK(answers[2] == Names{"shortlist"});
    CHECK(answers[3] == Names{"vgg-16", "vgg-19"});
    CHECK(answers[4] == Names{"mnn", "mldrift"});
    CHECK(answers[5].contains("tmmodel-table4"));
    CHECK(answers[6] == Names{"linear", "log"});
    CHECK(answers[7] == Names{"l1.capacity="});
    CHECK(answers[8].empty()); // bash offers files
    CHECK(answers[9] == Names{"--kernel"});
}

TEST_CASE("Other shells read their scripts, and fish completes by its one")
{
    const TemporaryFolder folder;
    for (const std::string shell : {"zsh", "fish"}) {
        const std::string script = folder.file(shell);
        std::ofstream(script) << run_program({"completion", shell}).output;
        if (is_there(shell)) {
            const ProgramResult read = run_words({shell, "-n", script});
            CHECK(read.exit_code == 0);
            CHECK(read.errors.empty());
        }
    }
    if (is_there("fish")) {
        const auto ask = [&](const std::string& line) {
            return run_words({"fish", "-c",
                              "source " + folder.file("fish") + "; complete -C '" + line + "'"})
                .output;
        };
        CHECK_THAT(ask("texelscope crossc"), Contains("crosscheck\tmodel, simulator and device"));
        CHECK_THAT(ask("texelscope network plan vgg-16 --policy mn"), Contains("mnn"));
        CHECK_THAT(ask("texelscope trace capture --ker"), Contains("--kernel"));
    }
    const ProgramResult unknown = run_program({"completion", "csh"});
    CHECK(unknown.exit_code == 2);
    CHECK_THAT(unknown.errors, Contains("bash,zsh,fish"));
}

TEST_CASE("Manual pages say what --help lists")
{
    const TemporaryFolder folder;
    const std::string pages = folder.file("man");
    REQUIRE(run_program({"manual", "--output", pages, "--quiet"}).exit_code == 0);
    const std::map<Words, Help> all = all_help();
    std::size_t count = 1; // texelscope(1)
    for (const auto& [path, help] : all) {
        const std::string page =
            read_file(pages + "/texelscope" + (path.empty() ? "" : "-" + path.front()) + ".1");
        count += path.size() == 1 ? 1U : 0U;
        for (const std::string& option : help.options) {
            std::string name = std::regex_replace(option, std::regex("-"), "\\-");
            INFO(option << " of " << fmt::format("{}", fmt::join(path, " ")));
            CHECK_THAT(page, Contains("\\fB" + name + "\\fR"));
        }
    }
    std::size_t files = 0;
    for (const auto& file : std::filesystem::directory_iterator(pages)) {
        ++files;
        if (is_there("groff")) {
            const ProgramResult formatted =
                run_words({"groff", "-man", "-ww", "-z", file.path().string()});
            CHECK(formatted.exit_code == 0);
            CHECK(formatted.errors.empty());
        }
    }
    CHECK(files == count);
    CHECK(run_program({"manual", "simulate"}).output ==
          read_file(pages + "/texelscope-simulate.1"));
    CHECK(run_program({"manual"}).output == read_file(pages + "/texelscope.1"));
    CHECK(run_program({"manual", "nothing"}).exit_code == 2);
}
