// Traces of plain addresses, in three formats of other cache simulators. What each has, in order:
//   din               text, a line for each access: label (0 reads, 1 writes, 2 fetches), address
//   in hexadecimal binary din        8 bytes, little-endian: u32 address, u16 bytes, u8 label, u8 0
//   oracleGeneral     24 bytes, little-endian: u32 time, u64 address, u32 bytes, i64 next access

#include "traces/formats/address_records.hpp"

#include "base/error.hpp"
#include "base/printable_text.hpp"
#include "traces/native/byte_columns.hpp"
#include "traces/native/file_stream.hpp"

#include <fmt/format.h>

#include <charconv>
#include <istream>
#include <iterator>
#include <limits>

namespace texelscope::traces {
namespace {

/// The hexadecimal number, with or without 0x, at the front of the line, which is taken off it.
std::uint64_t take_hexadecimal(std::string_view& line, const char* what, const std::string& where)
{
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    std::string_view word = line.substr(0, line.find_first_of(" \t"));
    line.remove_prefix(word.size());
    if (word.starts_with("0x") || word.starts_with("0X")) {
        word.remove_prefix(2);
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
    if (error != std::errc{} || end != word.data() + word.size()) {
        throw bad_input(fmt::format("the {} is not a hexadecimal number of up to 64 bits: '{}'",
                                    what, printable(word)),
                        where, "lines are LABEL ADDRESS");
    }
    return value;
}

/// Calls `record` on each record of `size` bytes. Throws bad_input where the last one is cut off.
template <class Record>
void for_each_record(std::istream& in, std::size_t size, const std::string& name, Record record)
{
    std::string bytes(size, '\0');
    for (std::int64_t offset = 0;; offset += static_cast<std::int64_t>(size)) {
        in.read(bytes.data(), static_cast<std::streamsize>(size));
        const auto got = static_cast<std::size_t>(in.gcount());
        if (got == 0) {
            break;
        }
        if (got < size) {
            throw bad_input(
                fmt::format("the record at byte {} is cut off: {} of {} bytes", offset, got, size),
                name, "copy the file again, or give its format with --from");
        }
        ByteReader reader(bytes);
        record(reader, offset);
    }
    if (in.bad()) {
        throw bad_input("reading failed", name, "is the file complete?");
    }
}

} // namespace

void read_din(std::istream& in, const std::string& name, const AddressSink& sink)
{
    for_each_line(in, name, [&](std::string_view line, std::int64_t number) {
        if (line.find_first_not_of(" \t") == std::string_view::npos) {
            return;
        }
        const std::string where = fmt::format("{}:{}", name, number);
        const std::uint64_t label = take_hexadecimal(line, "label", where);
        // A label is one hexadecimal digit. Only 0 is a read: the others are writes, fetches of
        // instructions and what DineroIV calls miscellaneous.
        if (label > 0xf) {
            throw bad_input(fmt::format("no label is {:x}", label), where,
                            "0 reads, 1 writes, 2 fetches instructions");
        }
        sink({take_hexadecimal(line, "address", where), 0, label == 0});
    });
}

void append_din(std::string& out, const AddressRecord& record)
{
    fmt::format_to(std::back_inserter(out), "{} {:x}\n", record.is_read ? 0 : 1, record.address);
}

void read_binary_din(std::istream& in, const std::string& name, const AddressSink& sink)
{
    for_each_record(in, 8, name, [&](ByteReader& reader, std::int64_t offset) {
        AddressRecord record;
        record.address = reader.u32();
        record.bytes = reader.u8();
        record.bytes |= std::uint32_t{reader.u8()} << 8;
        const std::uint8_t label = reader.u8();
        if (label > 0xf) {
            throw bad_input(fmt::format("the record at byte {} has label {}", offset, label), name,
                            "0 reads, 1 writes, 2 fetches instructions");
        }
        record.is_read = label == 0;
        sink(record);
    });
}

void append_binary_din(std::string& out, const AddressRecord& record)
{
    if (record.address > std::numeric_limits<std::uint32_t>::max() ||
        record.bytes > std::numeric_limits<std::uint16_t>::max()) {
        throw bad_input(
            fmt::format("DineroIV's binary format has no room for {} bytes at address {:#x}",
                        record.bytes, record.address),
            {}, "use --format din");
    }
    ByteWriter writer;
    writer.u32(static_cast<std::uint32_t>(record.address));
    writer.u8(static_cast<std::uint8_t>(record.bytes & 0xff));
    writer.u8(static_cast<std::uint8_t>(record.bytes >> 8));
    writer.u8(record.is_read ? 0 : 1);
    writer.u8(0);
    out += writer.bytes();
}

void read_oracle_general(std::istream& in, const std::string& name, const AddressSink& sink)
{
    for_each_record(in, 24, name, [&](ByteReader& reader, std::int64_t offset) {
        (void)reader.u32(); // the time
        AddressRecord record;
        record.address = reader.u64();
        record.bytes = reader.u32();
        const auto next = static_cast<std::int64_t>(reader.u64());
        // The next access is a number of a later record, or -1 where the address does not come up
        // again. libCacheSim's readers need it for Belady's policy; here it only tells a foreign
        // file.
        if (next < -1) {
            throw bad_input(
                fmt::format("the record at byte {} has {} for its next access", offset, next), name,
                "is this an oracleGeneral trace?");
        }
        sink(record);
    });
}

void append_oracle_general(std::string& out, std::uint32_t time, const AddressRecord& record,
                           std::int64_t next)
{
    ByteWriter writer;
    writer.u32(time);
    writer.u64(record.address);
    writer.u32(record.bytes);
    writer.u64(static_cast<std::uint64_t>(next));
    out += writer.bytes();
}

} // namespace texelscope::traces
