// Oclgrind 21.10 computes with float and double alone and ends the program at the first half number
// (cl_khr_fp16). These two functions take the place of its own, as the library that they are in is
// loaded before Oclgrind's: they know numbers of 2 bytes as well. Oclgrind computes in double
// precision. A sum, product, quotient or root that is rounded to float and then to half is the same
// as one rounded to half at once: float has more than twice the digits (Figueroa, "When is double
// rounding innocuous?", 1995).

#include "base/half.hpp"

#include <oclgrind/common.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

template <class Number>
Number loaded(const unsigned char* data, unsigned index)
{
    Number number;
    std::memcpy(&number, data + index * sizeof number, sizeof number);
    return number;
}

template <class Number>
void store(unsigned char* data, unsigned index, Number number)
{
    std::memcpy(data + index * sizeof number, &number, sizeof number);
}

[[noreturn]] void refuse(unsigned size)
{
    std::fprintf(stderr, "a kernel has real numbers of %u bytes, which cannot be captured\n", size);
    std::abort();
}

} // namespace

namespace oclgrind {

[[gnu::visibility("default")]] double TypedValue::getFloat(unsigned index) const
{
    switch (size) {
    case 2:
        return texelscope::base::from_half_bits(loaded<std::uint16_t>(data, index));
    case 4:
        return loaded<float>(data, index);
    case 8:
        return loaded<double>(data, index);
    default:
        refuse(size);
    }
}

[[gnu::visibility("default")]] void TypedValue::setFloat(double value, unsigned index)
{
    switch (size) {
    case 2:
        store(data, index, texelscope::base::half_bits(static_cast<float>(value)));
        break;
    case 4:
        store(data, index, static_cast<float>(value));
        break;
    case 8:
        store(data, index, value);
        break;
    default:
        refuse(size);
    }
}

} // namespace oclgrind
