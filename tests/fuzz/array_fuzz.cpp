#include "base/npy.hpp"
#include "tests/fuzz/entries.hpp"
#include "tests/fuzz/property.hpp"

#include <algorithm>
#include <bit>

namespace texelscope::fuzz {
using namespace base;

bool npy(std::string_view input)
{
    const std::string bytes(input);
    const auto read = accepted([&] { return parse_npy(bytes, "array.npy"); });
    if (!read) {
        return false;
    }
    const auto same = [](float a, float b) {
        return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
    };
    // a header of very many dimensions is refused
    const auto written = accepted([&] { return npy_bytes(*read); });
    if (written) {
        const NpyArray again = parse_npy(*written, "again.npy");
        require(again.shape == read->shape && std::ranges::equal(again.values, read->values, same),
                "an array that is written and read again is another one");
    }
    require(read->values.size() <= bytes.size(),
            "an array has more numbers than its file has bytes");
    return true;
}

} // namespace texelscope::fuzz
