#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::traces {

/// Throws std::out_of_range with the message `what` unless a condition on decoded data `holds`.
void require(bool holds, const char* what);

/// Appends little-endian numbers and columns to a text of bytes. A column of n numbers is: u32
/// distance, u8 planes, then `planes` times n bytes, lowest byte of every number first. With a
/// distance d > 0 the numbers from the d-th on are differences to the number d places before. Signs
/// are in the lowest bit (0, -1, 1, -2 are 0, 1, 2, 3).
class ByteWriter {
public:
    void u8(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
    void u32(std::uint32_t value) { number(value, 4); }
    void u64(std::uint64_t value) { number(value, 8); }
    /// Appends a column, with that distance among `distances` (0 is always tried) with which the
    /// column takes the fewest bits.
    void column(std::span<const std::int64_t> values, std::span<const std::size_t> distances);
    void append(std::string_view bytes) { bytes_.append(bytes); }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }
    /// Where long planes begin and end: bytes of different planes are best compressed apart.
    [[nodiscard]] const std::vector<std::size_t>& cuts() const { return cuts_; }
    [[nodiscard]] std::string take() { return std::move(bytes_); }

private:
    void number(std::uint64_t value, int count);

    std::string bytes_;
    std::vector<std::size_t> cuts_;
};

/// Reads what ByteWriter wrote. Throws std::out_of_range, with words, where the bytes end too
/// early.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

    std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
    std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
    std::uint64_t u64() { return number(8); }
    std::vector<std::int64_t> column(std::size_t count);
    [[nodiscard]] std::size_t left() const { return bytes_.size() - position_; }

private:
    friend class ColumnBlocks;

    std::uint64_t number(std::size_t count);
    std::string_view take(std::size_t count);

    std::string_view bytes_;
    std::size_t position_ = 0;
};

/// Columns of the same length that stand one behind the other, read side by side, a block of
/// numbers at a time: they stay in the processor's nearest cache.
class ColumnBlocks {
public:
    /// Takes the columns off the reader, whose bytes must outlive this.
    ColumnBlocks(ByteReader& in, std::size_t columns, std::size_t count);

    /// The next block; false at the end.
    bool next();
    [[nodiscard]] std::size_t begin() const { return begin_; } ///< of the block, in the column
    [[nodiscard]] std::size_t size() const { return size_; }   ///< of the block
    /// The block's numbers of a column.
    [[nodiscard]] const std::int64_t* operator[](std::size_t column) const
    {
        return columns_[column].numbers.data() + columns_[column].distance;
    }

private:
    struct Column {
        std::string_view bytes;
        std::size_t planes = 0;
        std::size_t distance = 0;
        /// The last ones of the block before, `distance` of them, then the block.
        std::vector<std::int64_t> numbers;
    };

    std::size_t count_;
    std::size_t block_; ///< no distance is longer
    std::size_t begin_ = 0;
    std::size_t size_ = 0;
    std::vector<Column> columns_;
};

} // namespace texelscope::traces
