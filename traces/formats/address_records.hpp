#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace texelscope::traces {

/// One access in the formats that know byte addresses alone.
struct AddressRecord {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0; ///< 0 where the format has no sizes
    bool is_read = true;     ///< false: a write, an instruction or something else

    bool operator==(const AddressRecord&) const = default;
};
using AddressSink = std::function<void(const AddressRecord&)>;

// Each reader throws bad_input, with the line or the byte, for what its format does not allow.

/// DineroIV's traditional text ("din"): a line for each access, a label (0 read, 1 write, 2
/// instruction; up to f) and an address, both hexadecimal; the rest of the line is a comment.
void read_din(std::istream& in, const std::string& name, const AddressSink& sink);
void append_din(std::string& out, const AddressRecord& record);

/// DineroIV's binary format: u32 address, u16 bytes, u8 label, u8 unused, little-endian.
void read_binary_din(std::istream& in, const std::string& name, const AddressSink& sink);
/// The address must be below 2^32, the bytes below 2^16: throws bad_input.
void append_binary_din(std::string& out, const AddressRecord& record);

/// libCacheSim's oracleGeneral: u32 time, u64 object, u32 bytes, i64 number of the next access to
/// the object (counted from 1; -1: none), little-endian. Objects are taken for addresses.
void read_oracle_general(std::istream& in, const std::string& name, const AddressSink& sink);
void append_oracle_general(std::string& out, std::uint32_t time, const AddressRecord& record,
                           std::int64_t next);

} // namespace texelscope::traces
