#include "workbench/network_studies/training_checkpoint.hpp"

#include "base/error.hpp"
#include "devices/jobs/sized_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace texelscope::workbench::network_studies {
// A checkpoint is a record of lines and blocks of bytes with a checksum (devices/jobs), as jobs
// are.
namespace {

using devices::RecordReader;
using devices::RecordText;

constexpr std::int64_t version = 1;

template <class Number>
std::string_view bytes_of(const std::vector<Number>& numbers)
{
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

template <class Number>
std::vector<Number> read_numbers(RecordReader& reader, const std::string& key)
{
    const std::string bytes = reader.block(key);
    if (bytes.size() % sizeof(Number) != 0) {
        reader.fail("a number is cut off");
    }
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    if (!numbers.empty()) {
        std::memcpy(numbers.data(), bytes.data(), bytes.size());
    }
    return numbers;
}

/// What the checkpoint is of, and its state.
std::pair<std::string, TrainingState> read_record(const std::string& text, const std::string& path)
{
    std::istringstream in(text);
    RecordReader reader(in, path);
    if (const std::int64_t found = reader.number("texelscope-training", 0, devices::largest_number);
        found != version) {
        reader.fail("the file is of version " + std::to_string(found) + ", this program reads " +
                    std::to_string(version));
    }
    std::string of = reader.block("of");
    TrainingState state;
    state.losses = read_numbers<double>(reader, "losses");
    for (std::int64_t left = reader.number("carried", 0, devices::largest_number); left > 0;
         --left) {
        const auto input = static_cast<networks::ValueId>(
            reader.number("value", 0, std::numeric_limits<networks::ValueId>::max()));
        state.carried[input] = read_numbers<float>(reader, "numbers");
    }
    reader.end();
    if (!reader.at_end()) {
        reader.fail("bytes follow its end");
    }
    return {std::move(of), std::move(state)};
}

/// The parts between commas.
std::vector<std::string> parts_of(const std::string& what)
{
    std::vector<std::string> parts(1);
    for (const char c : what) {
        if (c == ',') {
            parts.emplace_back();
        } else if (c != ' ' || !parts.back().empty()) {
            parts.back() += c;
        }
    }
    return parts;
}

/// The first part in which two descriptions differ, for the message.
std::string difference(const std::string& of, const std::string& what)
{
    const std::vector<std::string> there = parts_of(of), here = parts_of(what);
    std::size_t part = 0;
    while (part + 1 < std::min(there.size(), here.size()) && there[part] == here[part]) {
        ++part;
    }
    return there[part] + " there, " + here[part] + " here";
}

} // namespace

std::string checkpoint_text(const TrainingState& state, const std::string& what)
{
    RecordText record;
    record.line("texelscope-training", {version});
    record.block("of", what);
    record.block("losses", bytes_of(state.losses));
    record.line("carried", {static_cast<std::int64_t>(state.carried.size())});
    for (const auto& [input, numbers] : state.carried) {
        record.line("value", {input});
        record.block("numbers", bytes_of(numbers));
    }
    return std::move(record).finished();
}

TrainingState read_checkpoint(const std::string& text, const std::string& what,
                              const std::string& path)
{
    std::pair<std::string, TrainingState> found;
    try {
        found = read_record(text, path);
    } catch (const Error& error) {
        throw bad_input(error.what(), {}, "delete the file to begin anew");
    }
    if (found.first != what) {
        throw bad_input("it is a checkpoint of other training: " + difference(found.first, what),
                        path,
                        "go on with the same network, data and options, or give another name");
    }
    return std::move(found.second);
}

} // namespace texelscope::workbench::network_studies
