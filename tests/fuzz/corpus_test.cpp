// The corpora of the fuzzers through the fuzzers' own functions, in every test run.

#include "tests/fuzz/entries.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

using namespace texelscope;

namespace {

std::string bytes_of(const std::filesystem::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string first_word(const std::string& line)
{
    return line.substr(0, line.find(' '));
}

} // namespace

TEST_CASE("the corpora of the fuzzers replay")
{
    // Seeds that are good input are in files whose names start with "good".
    const auto number =
        static_cast<std::size_t>(GENERATE(range(0, static_cast<int>(fuzz::readers().size()))));
    const fuzz::Reader& reader = fuzz::readers()[number];
    int good = 0;
    int refused = 0;
    INFO(reader.name);
    for (const auto& file : std::filesystem::directory_iterator(
             std::filesystem::path(TEXELSCOPE_CORPUS) / reader.name)) {
        INFO(file.path());
        bool accepted = false;
        REQUIRE_NOTHROW(accepted = reader.entry(bytes_of(file.path())));
        CHECK(accepted == file.path().filename().string().starts_with("good"));
        ++(accepted ? good : refused);
    }
    CHECK(good >= 3);
    CHECK(refused >= 3);
}

TEST_CASE("every fuzzer has its corpus, and its source files in the list")
{
    std::set<std::string> readers, corpora, listed;
    for (const fuzz::Reader& reader : fuzz::readers()) {
        readers.emplace(reader.name);
    }
    for (const auto& entry : std::filesystem::directory_iterator(TEXELSCOPE_CORPUS)) {
        if (entry.is_directory()) {
            corpora.insert(entry.path().filename().string());
        } else {
            CHECK(readers.contains(entry.path().stem().string())); // a dictionary
        }
    }
    std::istringstream lines(bytes_of(TEXELSCOPE_READERS));
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("#")) {
            listed.insert(first_word(line));
        }
    }
    CHECK(readers == corpora);
    CHECK(readers == listed);
}

TEST_CASE("what a mutator changes of good input is often good, and never larger than is asked for")
{
    for (const fuzz::Reader& reader : fuzz::readers()) {
        if (reader.mutator == nullptr) {
            continue;
        }
        INFO(reader.name);
        int good = 0;
        for (const auto& file : std::filesystem::directory_iterator(
                 std::filesystem::path(TEXELSCOPE_CORPUS) / reader.name)) {
            if (!file.path().filename().string().starts_with("good")) {
                continue;
            }
            const std::string seed = bytes_of(file.path());
            for (unsigned i = 0; i < 20; ++i) {
                fuzz::Mutation mutation{std::minstd_rand(i + 1), 16384,
                                        [](std::string bytes, std::size_t most) {
                                            bytes.resize(std::min(bytes.size(), most));
                                            return bytes;
                                        }};
                good += reader.entry(reader.mutator(seed, mutation)) ? 1 : 0;
            }
        }
        CHECK(good > 0);
    }
}
