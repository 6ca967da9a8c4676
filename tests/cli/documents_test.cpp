// The documents: what they link to and name exists, the README is short, the reference has a page
// for each subcommand and a line for each member of the JSON, and examples print what stands below
// them.

#include "tests/cli/checked_program.hpp"
#include "tests/cli/program.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace texelscope;
using nlohmann::json;
using test::json_of;
using test::run_program;
using test::run_words;
namespace fs = std::filesystem;

namespace {

using test::operator+;

const fs::path root = TEXELSCOPE_SOURCE;

std::string content(const fs::path& file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> documents()
{
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
        if (entry.path().extension() == ".md") {
            files.push_back(entry.path());
        }
    }
    for (const char* folder : {"docs", "devices", "traces", "experiments", "tests/data"}) {
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
            if (entry.path().extension() == ".md") {
                files.push_back(entry.path());
            }
        }
    }
    return files;
}

/// Text without blocks of code, in which a "](" is no link.
std::string without_code(const std::string& text)
{
    return std::regex_replace(text, std::regex("```[^`]*```"), "");
}

/// The anchors of a document's headings: in small letters, punctuation left out, a dash for each
/// space.
std::set<std::string> anchors(const std::string& text)
{
    std::set<std::string> all;
    const std::regex heading("(^|\n)#+ ([^\n]*)");
    for (std::sregex_iterator at(text.begin(), text.end(), heading), end; at != end; ++at) {
        std::string anchor;
        for (const char c : (*at)[2].str()) {
            if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
                anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            } else if (c == ' ') {
                anchor += '-';
            }
        }
        all.insert(anchor);
    }
    return all;
}

/// What is wrong with the links of a document; nothing where all lead somewhere.
std::vector<std::string> broken_links(const std::string& text, const fs::path& folder,
                                      const std::string& self)
{
    std::vector<std::string> broken;
    const std::regex link(R"(\]\(([^)\s]+)\))");
    const std::string prose = without_code(text);
    for (std::sregex_iterator at(prose.begin(), prose.end(), link), end; at != end; ++at) {
        const std::string target = (*at)[1];
        if (target.rfind("http", 0) == 0) {
            continue;
        }
        const std::string path = target.substr(0, target.find('#'));
        const fs::path file = path.empty() ? fs::path(self) : folder / path;
        if (!path.empty() && !fs::exists(file)) {
            broken.push_back(target);
        } else if (target.size() > path.size() &&
                   anchors(path.empty() ? text : content(file))
                           .count(target.substr(path.size() + 1)) == 0) {
            broken.push_back(target);
        }
    }
    return broken;
}

/// The first group of every match.
std::vector<std::string> matches(const std::string& text, const char* expression)
{
    std::vector<std::string> all;
    const std::regex pattern(expression);
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
        all.push_back((*at)[1]);
    }
    return all;
}

/// Files and folders of ours that a document names and that are not there, and headings that it
/// cites as `FILE.md, "Heading"`.
std::vector<std::string> wrong_names(const std::string& text)
{
    std::vector<std::string> wrong;
    for (const std::string& path : matches(text, "[`(]((?:agent|base|cli|cmake|codegen|devices|"
                                                 "docs|experiments|gui|model|networks|sim|tests|"
                                                 "tools|traces)/[A-Za-z0-9_./-]*)[`),]")) {
        if (!fs::exists(root / path)) {
            wrong.push_back(path);
        }
    }
    const std::regex cited("((?:docs/)?[A-Za-z/-]+\\.md), \"([^\"]+)\"");
    for (std::sregex_iterator at(text.begin(), text.end(), cited), end; at != end; ++at) {
        if (content(root / (*at)[1].str()).find("# " + (*at)[2].str() + "\n") ==
            std::string::npos) {
            wrong.push_back(at->str());
        }
    }
    return wrong;
}

struct Example {
    std::string command;
    std::vector<std::string> output; ///< "..." stands for any lines
};

/// Whether a command has not ended with its last line: behind a backslash, a pipe, a `do` or inside
/// of quotes.
bool goes_on(const std::string& command)
{
    const auto ends_with = [&](const std::string& text) {
        return command.size() >= text.size() &&
               command.compare(command.size() - text.size(), text.size(), text) == 0;
    };
    return ends_with("\\") || ends_with("|") || ends_with("; do") ||
           std::count(command.begin(), command.end(), '\'') % 2 == 1;
}

/// The commands of a document, indented and behind a $, with what stands below them.
std::vector<Example> examples(const std::string& text)
{
    std::vector<Example> all;
    std::istringstream lines(text);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("    $ ", 0) == 0) {
            all.push_back({line.substr(6), {}});
            inside = true;
        } else if (!inside || (!line.empty() && line.rfind("    ", 0) != 0)) {
            inside = false;
        } else if (all.back().output.empty() && goes_on(all.back().command)) {
            all.back().command += "\n" + line.substr(4);
        } else {
            all.back().output.push_back(line.empty() ? line : line.substr(4));
        }
    }
    for (Example& example : all) { // blank lines behind it are the document's
        while (!example.output.empty() && example.output.back().empty()) {
            example.output.pop_back();
        }
    }
    return all;
}

/// Without how long a search took, and without blanks at the end.
std::string without_seconds(const std::string& line)
{
    return std::regex_replace(line, std::regex(" in [0-9.]+ s(?=,|$)| +$"), "");
}

/// Of what a device measured, all but the figures, their units and the device's name.
std::string without_figures(const std::string& line)
{
    const std::string figures =
        std::regex_replace(line, std::regex("-?[0-9][0-9.,]*(e[-+][0-9]+)?( [num]?s\\b)?"), "#");
    const std::string names =
        std::regex_replace(figures, std::regex("^on .* \\(pocl-"), "on DEVICE (pocl-");
    return std::regex_replace(names, std::regex(" +"), " ");
}

/// The lines of an example that a program did not print, in order, as far as `comparable` shows
/// them.
std::vector<std::string> not_printed(const std::vector<std::string>& expected,
                                     const std::string& output,
                                     std::string (*comparable)(const std::string&))
{
    std::vector<std::string> missing;
    std::istringstream lines(output);
    bool skips = false;
    for (const std::string& line : expected) {
        std::string printed;
        const bool gap = std::exchange(skips, line == "...");
        if (skips) {
            continue;
        }
        do {
            if (!std::getline(lines, printed)) {
                missing.push_back(line);
                return missing;
            }
        } while (gap && comparable(printed) != comparable(line));
        if (comparable(printed) != comparable(line)) {
            missing.push_back(line + "   but: " + printed);
        }
    }
    return missing;
}

/// Runs the examples of documents and checks what they print; how many print something.
std::size_t compared_examples(const std::vector<std::string>& files)
{
    // Left out: what takes a minute, and what needs more than this program.
    const std::regex left_out("identify|capture|-gui|python3|before.json");
    const test::TemporaryFolder folder;
    fs::create_directory_symlink(root / "experiments", folder.file("experiments"));
    std::size_t compared = 0;
    for (const std::string& file : files) {
        for (const Example& example : examples(content(root / file))) {
            if (std::regex_search(example.command, left_out)) {
                continue;
            }
            CAPTURE(file, example.command);
            const std::string shell = "cd " + folder.file("") +
                                      " && texelscope() { " TEXELSCOPE_PROGRAM " \"$@\"; } && " +
                                      example.command;
            const test::ProgramResult result = run_words({"sh", "-c", shell});
            CHECK(result.exit_code == 0);
            const bool measured = example.command.find("--on pocl") != std::string::npos;
            CHECK(not_printed(example.output, result.output + result.errors,
                              measured ? without_figures : without_seconds) ==
                  std::vector<std::string>{});
            compared += example.output.empty() ? 0U : 1U;
        }
    }
    return compared;
}

/// Members of an object, and of what it holds, that a page does not name; values of `settings` and
/// such are not members.
void undocumented(const json& value, const std::string& page, std::set<std::string>& missing)
{
    static const std::set<std::string> opaque = {"settings", "intervals", "stalls"};
    for (const auto& item : value.items()) {
        if (value.is_object() && page.find("`" + item.key() + "`") == std::string::npos) {
            missing.insert(item.key());
        }
        if (item.value().is_structured() && (value.is_array() || opaque.count(item.key()) == 0)) {
            undocumented(item.value(), page, missing);
        }
    }
}

} // namespace

TEST_CASE("every link of the documents leads to a file, and to a heading in it")
{
    const std::vector<fs::path> files = documents();
    REQUIRE(files.size() > 20);
    for (const fs::path& file : files) {
        CAPTURE(file.string());
        CHECK(broken_links(content(file), file.parent_path(), file.string()) ==
              std::vector<std::string>{});
    }
}

TEST_CASE("links that lead nowhere are found")
{
    const std::string text =
        "# A heading, here\n[a](#a-heading-here) [b](#no) [c](README.md) [d](none.md) "
        "[e](README.md#none) [f](http://nowhere)\n```\n[g](code.md)\n```\n";
    CHECK(broken_links(text, root, "self") ==
          std::vector<std::string>{"#no", "none.md", "README.md#none"});
}

TEST_CASE("the README is short, and so is each page of the reference")
{
    const auto lines = [](const fs::path& file) {
        const std::string text = content(file);
        return std::count(text.begin(), text.end(), '\n');
    };
    CHECK(lines(root / "README.md") > 50);
    CHECK(lines(root / "README.md") <= 150);
    for (const fs::directory_entry& page : fs::directory_iterator(root / "docs/reference")) {
        CAPTURE(page.path().string());
        CHECK(lines(page.path()) <= 250);
    }
}

TEST_CASE("the reference lists every subcommand and every page")
{
    const std::string index = content(root / "docs/reference/README.md");
    const std::string help = run_program({"--help"}).output;
    const std::regex subcommand("\n  ([a-z]+)  ");
    std::size_t found = 0;
    const std::string after = help.substr(help.find("Subcommands:"));
    for (std::sregex_iterator at(after.begin(), after.end(), subcommand), end; at != end;
         ++at, ++found) {
        CAPTURE((*at)[1].str());
        CHECK(index.find("\n| `" + (*at)[1].str()) != std::string::npos);
    }
    CHECK(found > 10);
    for (const fs::directory_entry& page : fs::directory_iterator(root / "docs/reference")) {
        const std::string name = page.path().filename().string();
        CAPTURE(name);
        CHECK((name == "README.md" || index.find("](" + name + ")") != std::string::npos));
    }
}

TEST_CASE("files and headings that the documents name are there")
{
    for (const fs::path& file : documents()) {
        CAPTURE(file.string());
        CHECK(wrong_names(content(file)) == std::vector<std::string>{});
    }
    CHECK(wrong_names("`sim/nothing.cpp` `sim/` `docs/tour.md` (CONTRIBUTING.md, \"Style\"; "
                      "docs/tour.md, \"Nothing\")") ==
          std::vector<std::string>{"sim/nothing.cpp", "docs/tour.md, \"Nothing\""});
}

TEST_CASE("the reference lists every member of the JSON")
{
    const std::string page = content(root / "docs/reference/json.md");
    const test::Words study = {"--op", "matmul", "--shape", "16,16,16", "--device", "adreno-740"};
    std::set<std::string> missing;
    for (const test::Words& command :
         {test::Words{"simulate", "--timed", "--touches", "A:0,0"}, test::Words{"predict"},
          test::Words{"histogram"},
          test::Words{"tune", "--strategy", "random", "--budget", "2", "--where", "tile_x == 4"},
          test::Words{"crosscheck", "--on", "none"},
          test::Words{"generate", "--config", "A=row,row;T=4x4;G=8x8x1"}}) {
        undocumented(json_of(command + study), page + content(root / "docs/reference/programs.md"),
                     missing);
    }
    CHECK(missing == std::set<std::string>{});
    undocumented({{"schema", ""}, {"rows", {{{"neverheard", 1}}}}}, page, missing);
    CHECK(missing == std::set<std::string>{"neverheard"});
}

TEST_CASE("examples print what stands below them: README and tour")
{
    CHECK(compared_examples({"README.md", "docs/tour.md"}) >= 15);
}

TEST_CASE("examples print what stands below them: tutorial and papers")
{
    std::vector<std::string> files = {"docs/tutorial.md"};
    for (const fs::directory_entry& page : fs::directory_iterator(root / "docs/papers")) {
        if (page.path().extension() == ".md") {
            files.push_back("docs/papers/" + page.path().filename().string());
        }
    }
    CHECK(compared_examples(files) >= 18);
}

TEST_CASE("lines that an example did not print are found")
{
    CHECK(not_printed({"a", "...", "c in 2 s", "e"}, "a\nb\nc in 3.5 s\nd\n", without_seconds) ==
          std::vector<std::string>{"e   but: d"});
    CHECK(not_printed({"on this CPU (pocl-x), 3.5 us   -0.25 passed", "1 of 8 ran"},
                      "on that one (pocl-x), 1.1 ms 0.5 passed\n2 of 8 failed\n",
                      without_figures) ==
          std::vector<std::string>{"1 of 8 ran   but: 2 of 8 failed"});
}
