#include "devices/kernels/tensor_bytes.hpp"

#include "base/half.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace texelscope::devices {
namespace {

template <class Number>
std::vector<std::byte> bytes_of(const std::vector<Number>& numbers)
{
    const auto* first = reinterpret_cast<const std::byte*>(numbers.data());
    return std::vector<std::byte>(first, first + numbers.size() * sizeof(Number));
}

template <class Number>
std::vector<Number> numbers_of(const std::vector<std::byte>& bytes)
{
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    if (!numbers.empty()) {
        std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
    }
    return numbers;
}

} // namespace

std::vector<std::byte> stored_bytes(Storage storage, const std::vector<float>& texels)
{
    if (storage == Storage::fp32) {
        return bytes_of(texels);
    }
    std::vector<std::uint16_t> halves(texels.size());
    std::transform(texels.begin(), texels.end(), halves.begin(), half_bits);
    return bytes_of(halves);
}

std::vector<float> stored_texels(Storage storage, const std::vector<std::byte>& bytes)
{
    if (storage == Storage::fp32) {
        return numbers_of<float>(bytes);
    }
    const auto halves = numbers_of<std::uint16_t>(bytes);
    std::vector<float> texels(halves.size());
    std::transform(halves.begin(), halves.end(), texels.begin(), from_half_bits);
    return texels;
}

} // namespace texelscope::devices
