// Files of records of one size, NumPy's arrays, spools, and what RecordText writes.

#include "devices/jobs/sized_blocks.hpp"
#include "tests/fuzz/mutation.hpp"
#include "traces/capture/spool_format.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace texelscope::fuzz {
namespace {

/// Overwrites a number of so many bytes.
void put_number(std::string& bytes, std::size_t at, std::size_t size, std::uint64_t value)
{
    for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i) {
        bytes[at + i] = static_cast<char>(value >> (8 * i));
    }
}

/// One of the records, whose members begin at `members`, the end of the last one included.
std::string with_changed_record(const std::string& input, Mutation& mutation,
                                const std::vector<std::size_t>& members)
{
    const std::size_t size = members.back();
    if (input.size() < size) {
        return mutation.bytes(input, mutation.most);
    }
    std::string changed = input;
    const std::size_t count = input.size() / size;
    const std::size_t at = size * mutation.below(count);
    switch (mutation.below(4)) {
    case 0:
        changed.erase(at, size);
        break;
    case 1:
        changed.insert(size * mutation.below(count + 1), input.substr(at, size));
        break;
    default: {
        const std::size_t member = mutation.below(members.size() - 1);
        put_number(changed, at + members[member], members[member + 1] - members[member],
                   mutation.number());
    }
    }
    return changed;
}

/// A part of a file of RecordText: a line, or a line with a block behind it.
struct RecordPart {
    std::string line; ///< of a block without its count
    bool has_block = false;
    std::string block;
};

/// Keys whose last number counts the bytes behind the line.
bool has_block(const std::string& key)
{
    static const std::vector<std::string> keys{"job",          "kernel",
                                               "options",      "source",
                                               "program",      "step",
                                               "contents",     "words",
                                               "platform",     "name",
                                               "vendor",       "driver",
                                               "version",      "reason",
                                               "build_log",    "output",
                                               "fetched",      "of",
                                               "losses",       "numbers",
                                               "clock_source", "temperature_source"};
    return std::ranges::find(keys, key) != keys.end();
}

std::vector<RecordPart> parts_of(const std::string& text)
{
    std::vector<RecordPart> parts;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        const std::string key = line.substr(0, line.find(' '));
        if (key == "end") {
            parts.push_back({key, false, {}});
            continue;
        }
        std::int64_t count = 0;
        if (has_block(key) &&
            devices::parse_integer(
                std::string_view(line).substr(std::min(line.size(), key.size() + 1)), count) &&
            count >= 0 && at + static_cast<std::size_t>(count) < text.size()) {
            parts.push_back({key, true, text.substr(at, static_cast<std::size_t>(count))});
            at += static_cast<std::size_t>(count) + 1;
        } else {
            parts.push_back({line, false, {}});
        }
    }
    return parts;
}

std::string text_of(const std::vector<RecordPart>& parts)
{
    std::string text, record;
    for (const RecordPart& part : parts) {
        if (part.line == "end" && !part.has_block) {
            devices::Checksum checksum;
            checksum.add(record);
            text += record + "end " + checksum.text() + "\n";
            record.clear();
        } else if (part.has_block) {
            record +=
                part.line + " " + std::to_string(part.block.size()) + "\n" + part.block + "\n";
        } else {
            record += part.line + "\n";
        }
    }
    return text + record;
}

/// A line with one of its words changed.
std::string changed_line(const std::string& line, Mutation& mutation)
{
    std::vector<std::size_t> blanks;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == ' ') {
            blanks.push_back(i);
        }
    }
    if (blanks.empty() || mutation.below(8) == 0) {
        return mutation.changed(line);
    }
    const std::size_t word = mutation.below(blanks.size());
    const std::size_t begin = blanks[word] + 1;
    const std::size_t end = word + 1 < blanks.size() ? blanks[word + 1] : line.size();
    const std::string number = std::to_string(static_cast<std::int64_t>(mutation.number()));
    return line.substr(0, begin) + (mutation.below(10) == 0 ? number + " " + number : number) +
           line.substr(end);
}

} // namespace

std::string mutate_din_records(const std::string& input, Mutation& mutation)
{
    return with_changed_record(input, mutation, {0, 4, 6, 7, 8});
}

std::string mutate_oracle_records(const std::string& input, Mutation& mutation)
{
    return with_changed_record(input, mutation, {0, 4, 12, 16, 24});
}

std::string mutate_npy(const std::string& input, Mutation& mutation)
{
    constexpr std::size_t before_header = 10; // of version 1
    if (input.size() < before_header) {
        return mutation.bytes(input, mutation.most);
    }
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(input[at]); };
    const std::size_t length =
        std::min<std::size_t>(byte(8) + 256U * byte(9), input.size() - before_header);
    std::string header = input.substr(before_header, length);
    std::string data = input.substr(before_header + length);
    unsigned char version = byte(6);
    switch (mutation.below(6)) {
    case 0:
        data = mutation.changed(data);
        break;
    case 1:
        version = static_cast<unsigned char>(1 + mutation.below(4));
        break;
    case 2: { // another shape; sometimes with the data that it asks for
        const std::size_t at = header.find('(');
        if (at != std::string::npos) {
            const std::size_t rows = mutation.below(5), columns = mutation.below(5);
            header = header.substr(0, at) + "(" + std::to_string(rows) + ", " +
                     std::to_string(columns) + ")" +
                     header.substr(std::min(header.size(), header.find(')', at) + 1));
            data.resize(rows * columns * (mutation.below(2) == 0 ? 4 : 8));
        }
        break;
    }
    case 3: { // another number of a shape
        const std::size_t at = header.find_last_of("0123456789");
        if (at != std::string::npos) {
            header.replace(at, 1, std::to_string(mutation.number()));
        }
        break;
    }
    default:
        header = mutation.changed(header);
    }
    std::string bytes = input.substr(0, 6);
    bytes += {static_cast<char>(version), '\0', static_cast<char>(header.size() & 0xFFU),
              static_cast<char>(header.size() >> 8U)};
    if (version > 1) {
        bytes += {'\0', '\0'};
    }
    return bytes + header + data;
}

std::string mutate_record(const std::string& input, Mutation& mutation)
{
    std::vector<RecordPart> parts = parts_of(input);
    if (parts.empty()) {
        return mutation.bytes(input, mutation.most);
    }
    const std::size_t at = mutation.below(parts.size());
    const auto here = parts.begin() + static_cast<std::ptrdiff_t>(at);
    switch (mutation.below(12)) {
    case 0:
        parts.erase(here);
        break;
    case 1: {
        const RecordPart copy = *here;
        parts.insert(here, copy);
        break;
    }
    case 2:
        std::swap(*here, parts[mutation.below(parts.size())]);
        break;
    case 3:
        here->has_block = !here->has_block && here->line != "end";
        break;
    default:
        if (here->has_block) {
            here->block = mutation.changed(here->block);
        } else if (here->line != "end") {
            here->line = changed_line(here->line, mutation);
        } else {
            parts.erase(here);
        }
    }
    return text_of(parts);
}

std::string mutate_spool(const std::string& input, Mutation& mutation)
{
    using traces::spool::RecordHeader;
    struct SpoolRecord {
        RecordHeader header;
        std::string payload;
    };
    std::vector<SpoolRecord> records;
    for (std::size_t at = sizeof traces::spool::magic; at + sizeof(RecordHeader) <= input.size();) {
        RecordHeader header;
        std::memcpy(&header, input.data() + at, sizeof header);
        at += sizeof header;
        if (header.bytes > input.size() - at) {
            break;
        }
        records.push_back({header, input.substr(at, header.bytes)});
        at += header.bytes;
    }
    if (records.empty()) {
        return mutation.bytes(input, mutation.most);
    }
    const std::size_t at = mutation.below(records.size());
    SpoolRecord& record = records[at];
    switch (mutation.below(10)) {
    case 0:
        records.erase(records.begin() + static_cast<std::ptrdiff_t>(at));
        break;
    case 1:
        records.push_back(SpoolRecord(record));
        break;
    case 2:
        std::swap(record, records[mutation.below(records.size())]);
        break;
    case 3:
        record.header.type = static_cast<traces::spool::RecordType>(1 + mutation.below(6));
        break;
    case 4:
        record.header.launch = static_cast<std::uint32_t>(mutation.number());
        break;
    case 5:
        record.header.group = static_cast<std::int64_t>(mutation.number());
        break;
    default:
        record.payload =
            record.header.type == traces::spool::RecordType::group
                ? with_changed_record(record.payload, mutation, {0, 4, 5, 6, 8, 12, 16})
                : mutation.changed(record.payload);
    }
    std::string bytes(traces::spool::magic, sizeof traces::spool::magic);
    for (SpoolRecord& one : records) {
        one.header.bytes = one.payload.size();
        bytes.append(reinterpret_cast<const char*>(&one.header), sizeof one.header);
        bytes += one.payload;
    }
    return bytes;
}

} // namespace texelscope::fuzz
