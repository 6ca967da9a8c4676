#include "traces/native/byte_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace texelscope::traces {

void require(bool holds, const char* what)
{
    if (!holds) {
        throw std::out_of_range(what);
    }
}

namespace {

// Small numbers of either sign become small numbers without one, so that their high bytes are 0 and
// need no planes.
std::uint64_t folded(std::uint64_t difference)
{
    return (difference << 1) ^ (0 - (difference >> 63));
}

std::uint64_t unfolded(std::uint64_t folded_value)
{
    return (folded_value >> 1) ^ (0 - (folded_value & 1));
}

// Signed overflow is undefined in C++; a damaged file may cause it, so sums are taken modulo 2^64.
std::int64_t sum(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// Takes `numbers` from so many planes, each of which begins `count` bytes behind the one before.
/// With `sums`, the numbers are differences to the number before (distance 1), and the one in front
/// of `numbers` is the last of the block before. There is a function for each number of planes,
/// because this takes most of the time of reading a file.
template <std::size_t planes>
void from_planes(const char* bytes, std::size_t count, std::span<std::int64_t> numbers, bool sums)
{
    const auto stored = [&](std::size_t i) {
        std::uint64_t value = 0;
        for (std::size_t plane = 0; plane < planes; ++plane) {
            value |= std::uint64_t{static_cast<unsigned char>(bytes[plane * count + i])}
                     << (8 * plane);
        }
        return static_cast<std::int64_t>(unfolded(value));
    };
    if (sums) {
        std::int64_t last = numbers.data()[-1];
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            last = sum(last, stored(i));
            numbers[i] = last;
        }
    } else {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            numbers[i] = stored(i);
        }
    }
}

// A table of from_planes() by the number of planes.
template <std::size_t... planes>
constexpr auto decoders_of(std::index_sequence<planes...>)
{
    return std::array{&from_planes<planes>...};
}

/// What is stored for a value: modulo 2^64, so that no difference is too large.
std::uint64_t stored(std::span<const std::int64_t> values, std::size_t i, std::size_t distance)
{
    const auto value = static_cast<std::uint64_t>(values[i]);
    return folded(distance > 0 && i >= distance
                      ? value - static_cast<std::uint64_t>(values[i - distance])
                      : value);
}

/// The entropy of the bytes of every plane, in bits, over a sample of the values: an estimate of
/// what the compressor makes of the column. Eight windows are enough to tell distances apart.
double bits_wanted(std::span<const std::int64_t> values, std::size_t distance)
{
    constexpr std::size_t window = 1024;
    const std::size_t stride = std::max(window, values.size() / 8 / window * window);
    std::array<std::array<std::uint32_t, 256>, 8> counts{};
    std::size_t sampled = 0;
    for (std::size_t begin = 0; begin < values.size(); begin += stride) {
        const std::size_t end = std::min(values.size(), begin + window);
        for (std::size_t i = begin; i < end; ++i, ++sampled) {
            std::uint64_t value = stored(values, i, distance);
            for (auto& plane : counts) {
                ++plane[value & 0xff];
                value >>= 8;
            }
        }
    }
    double bits = 0;
    for (const auto& plane : counts) {
        for (const std::uint32_t count : plane) {
            if (count > 0) {
                bits -=
                    count * std::log2(static_cast<double>(count) / static_cast<double>(sampled));
            }
        }
    }
    return bits;
}

} // namespace

void ByteWriter::number(std::uint64_t value, int count)
{
    for (int i = 0; i < count; ++i) {
        bytes_.push_back(static_cast<char>(value >> (8 * i) & 0xff));
    }
}

void ByteWriter::column(std::span<const std::int64_t> values,
                        std::span<const std::size_t> distances)
{
    std::size_t best = 0;
    double best_cost = std::numeric_limits<double>::max();
    const auto consider = [&](std::size_t distance) {
        const double cost = bits_wanted(values, distance);
        if (cost < best_cost) {
            best = distance;
            best_cost = cost;
        }
    };
    consider(0);
    for (const std::size_t distance : distances) {
        // A distance that reaches beyond the column leaves all numbers as they are, like 0.
        if (distance > 0 && distance < values.size()) {
            consider(distance);
        }
    }
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        all |= stored(values, i, best);
    }
    // Only as many bytes of each number are written as the largest one needs.
    const int planes = (static_cast<int>(std::bit_width(all)) + 7) / 8;
    u32(static_cast<std::uint32_t>(best));
    u8(static_cast<std::uint8_t>(planes));
    const std::size_t begin = bytes_.size();
    bytes_.resize(begin + values.size() * static_cast<std::size_t>(planes));
    constexpr std::size_t long_plane = 4096;
    for (int plane = 0; plane < planes; ++plane) {
        const std::size_t plane_begin = begin + static_cast<std::size_t>(plane) * values.size();
        if (values.size() >= long_plane) {
            if (cuts_.empty() || cuts_.back() < plane_begin) {
                cuts_.push_back(plane_begin);
            }
            cuts_.push_back(plane_begin + values.size());
        }
        char* const out = bytes_.data() + plane_begin;
        for (std::size_t i = 0; i < values.size(); ++i) {
            out[i] = static_cast<char>(stored(values, i, best) >> (8 * plane) & 0xff);
        }
    }
}

std::string_view ByteReader::take(std::size_t count)
{
    require(count <= left(), "it ends too early");
    const std::string_view taken = bytes_.substr(position_, count);
    position_ += count;
    return taken;
}

std::uint64_t ByteReader::number(std::size_t count)
{
    std::uint64_t value = 0;
    int shift = 0;
    for (const char byte : take(count)) {
        value |= std::uint64_t{static_cast<unsigned char>(byte)} << shift;
        shift += 8;
    }
    return value;
}

std::vector<std::int64_t> ByteReader::column(std::size_t count)
{
    std::vector<std::int64_t> column;
    column.reserve(count);
    ColumnBlocks blocks(*this, 1, count);
    while (blocks.next()) {
        column.insert(column.end(), blocks[0], blocks[0] + blocks.size());
    }
    return column;
}

// Blocks of 1024 numbers stay in the nearest cache; a longer distance needs as long a block, since
// a number is added to one of the block before.
ColumnBlocks::ColumnBlocks(ByteReader& in, std::size_t columns, std::size_t count)
    : count_(count), block_(std::min<std::size_t>(count, 1024)), columns_(columns)
{
    for (Column& column : columns_) {
        column.distance = in.u32();
        column.planes = in.u8();
        require(column.planes <= 8, "a column has more than eight bytes a number");
        require(column.planes == 0 || count <= in.left() / column.planes, "it ends too early");
        column.bytes = in.take(column.planes * count);
        if (column.planes == 0 || column.distance >= count) {
            column.distance = 0; // differences of nothing, or none
        }
        block_ = std::max(block_, column.distance);
    }
    for (Column& column : columns_) {
        column.numbers.resize(column.distance + block_);
    }
}

bool ColumnBlocks::next()
{
    constexpr auto decoders = decoders_of(std::make_index_sequence<9>());
    const std::size_t before = size_;
    begin_ += before;
    size_ = std::min(block_, count_ - begin_);
    for (Column& column : columns_) {
        if (column.planes == 0) {
            continue; // all 0, as it is from the start
        }
        const std::size_t distance = column.distance;
        // The last numbers of the block before are those that the differences refer to.
        if (before > 0) {
            std::copy_n(column.numbers.data() + before, distance, column.numbers.data());
        }
        const std::span<std::int64_t> numbers = std::span(column.numbers).subspan(distance, size_);
        decoders[column.planes](column.bytes.data() + begin_, count_, numbers, distance == 1);
        for (std::size_t i = 0; distance > 1 && i < size_; ++i) {
            // the one `distance` before it; 0 before the first
            numbers[i] = sum(numbers[i], column.numbers[i]);
        }
    }
    return size_ > 0;
}

} // namespace texelscope::traces
