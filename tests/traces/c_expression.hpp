#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace texelscope::test {

/// Value of an expression of C over int: all operators of C but assignment, with C's precedence,
/// division and remainder rounded towards zero. Throws std::runtime_error for text that is not such
/// an expression, a division by zero, an unknown name, or an intermediate result that an int does
/// not hold (undefined behaviour in C).
std::int64_t evaluate_c(const std::string& text,
                        const std::map<std::string, std::int64_t>& variables);

} // namespace texelscope::test
