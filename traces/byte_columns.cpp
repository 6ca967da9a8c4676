#include "traces/byte_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace texelscope {
namespace {

std::uint64_t folded(std::uint64_t difference)
{
    return (difference << 1) ^ (0 - (difference >> 63));
}

std::uint64_t unfolded(std::uint64_t folded_value)
{
    return (folded_value >> 1) ^ (0 - (folded_value & 1));
}

/// What is stored for a value: modulo 2^64, so that no difference is too large.
std::uint64_t stored(std::span<const std::int64_t> values, std::size_t i, std::size_t distance)
{
    const auto value = static_cast<std::uint64_t>(values[i]);
    return folded(distance > 0 && i >= distance ? value - static_cast<std::uint64_t>(values[i - distance]) : value);
}

/// Entropy of the bytes of every plane, in bits, over a sample of the values.
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
                bits -= count * std::log2(static_cast<double>(count) / static_cast<double>(sampled));
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

void ByteWriter::column(std::span<const std::int64_t> values, std::span<const std::size_t> distances)
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
        if (distance > 0 && distance < values.size()) {
            consider(distance);
        }
    }
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        all |= stored(values, i, best);
    }
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
    if (count > left()) {
        throw std::out_of_range("it ends too early");
    }
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
    const std::size_t distance = u32();
    const std::size_t planes = u8();
    if (planes > 8) {
        throw std::out_of_range("a column has more than eight bytes a number");
    }
    if (planes > 0 && count > left() / planes) {
        throw std::out_of_range("it ends too early");
    }
    std::vector<std::int64_t> column(count, 0);
    if (planes == 0) {
        return column; // differences of nothing
    }
    for (std::size_t plane = 0; plane < planes; ++plane) {
        const std::string_view bytes = take(count);
        for (std::size_t i = 0; i < count; ++i) {
            column[i] |= static_cast<std::int64_t>(std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * plane));
        }
    }
    for (std::int64_t& value : column) {
        value = static_cast<std::int64_t>(unfolded(static_cast<std::uint64_t>(value)));
    }
    for (std::size_t i = distance; distance > 0 && i < count; ++i) {
        column[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(column[i]) +
                                              static_cast<std::uint64_t>(column[i - distance]));
    }
    return column;
}

} // namespace texelscope
