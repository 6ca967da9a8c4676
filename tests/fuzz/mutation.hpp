#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>

// Changes of binary formats that go past lengths, checksums and compression: bytes that are changed
// blindly are refused there, and what lies behind is never reached.

namespace texelscope::fuzz {

/// What a change is made with.
struct Mutation {
    std::minstd_rand random;
    std::size_t most = 4096; ///< bytes of the whole
    /// Changes bytes anyhow, to so many at most: libFuzzer's own way.
    std::function<std::string(std::string bytes, std::size_t most)> bytes;

    /// A number below `count`, which is at least 1.
    [[nodiscard]] std::size_t below(std::size_t count) { return random() % count; }
    /// A number as readers fear it: small, near a power of two, or any.
    [[nodiscard]] std::uint64_t number();
    /// Bytes changed as any others, to about as many.
    [[nodiscard]] std::string changed(const std::string& part)
    {
        return bytes(part, part.size() + 64);
    }
};

/// A changed input. One that it does not understand it changes as any other bytes.
using Mutator = std::string (*)(const std::string& input, Mutation& mutation);

/// A native trace: what is in its chunks, their headers, their order; sizes, checksums, index and
/// trailer fit again.
std::string mutate_native(const std::string& input, Mutation& mutation);
/// A message of Protocol Buffers: a field anywhere in it; all lengths around it fit again.
std::string mutate_protobuf(const std::string& input, Mutation& mutation);
/// A NumPy file: words of its header, whose length fits again, or its data.
std::string mutate_npy(const std::string& input, Mutation& mutation);
/// Records of 8 and of 24 bytes.
std::string mutate_din_records(const std::string& input, Mutation& mutation);
std::string mutate_oracle_records(const std::string& input, Mutation& mutation);
/// What RecordText writes: lines of numbers, blocks, whole records; counts of blocks and checksums
/// fit again.
std::string mutate_record(const std::string& input, Mutation& mutation);
/// A spool: its records and their events.
std::string mutate_spool(const std::string& input, Mutation& mutation);
/// What is packed by gzip or zstd: unpacked, changed, and packed again.
std::string mutate_packed(const std::string& input, Mutation& mutation);
/// A SQLite file: what is in its cells and its schema, by SQL.
std::string mutate_store(const std::string& input, Mutation& mutation);

} // namespace texelscope::fuzz
