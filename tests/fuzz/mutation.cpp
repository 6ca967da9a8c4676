#include "tests/fuzz/mutation.hpp"

namespace texelscope::fuzz {

std::uint64_t Mutation::number()
{
    const auto any = [&] {
        return std::uint64_t{random()} << 33 ^ std::uint64_t{random()} << 11 ^ random();
    };
    switch (below(4)) {
    case 0:
        return below(20);
    case 1:
        return (std::uint64_t{1} << below(64)) + below(3) - 1;
    case 2:
        return 0 - (std::uint64_t{1} << below(64)) + below(3);
    default:
        return any() >> below(64);
    }
}

} // namespace texelscope::fuzz
