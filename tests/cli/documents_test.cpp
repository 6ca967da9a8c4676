// The documents: what they link to exists, the README is short, and the reference has a page for each subcommand.

#include "tests/cli/program.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

using namespace texelscope;
using test::run_program;
namespace fs = std::filesystem;

namespace {

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

/// The anchors of a document's headings: in small letters, punctuation left out, a dash for each space.
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
std::vector<std::string> broken_links(const std::string& text, const fs::path& folder, const std::string& self)
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
                   anchors(path.empty() ? text : content(file)).count(target.substr(path.size() + 1)) == 0) {
            broken.push_back(target);
        }
    }
    return broken;
}

} // namespace

TEST_CASE("every link of the documents leads to a file, and to a heading in it")
{
    const std::vector<fs::path> files = documents();
    REQUIRE(files.size() > 20);
    for (const fs::path& file : files) {
        CAPTURE(file.string());
        CHECK(broken_links(content(file), file.parent_path(), file.string()) == std::vector<std::string>{});
    }
}

TEST_CASE("links that lead nowhere are found")
{
    const std::string text = "# A heading, here\n[a](#a-heading-here) [b](#no) [c](README.md) [d](none.md) "
                             "[e](README.md#none) [f](http://nowhere)\n```\n[g](code.md)\n```\n";
    CHECK(broken_links(text, root, "self") == std::vector<std::string>{"#no", "none.md", "README.md#none"});
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
    for (std::sregex_iterator at(after.begin(), after.end(), subcommand), end; at != end; ++at, ++found) {
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
