#include "codegen/operators/limits.hpp"

#include "base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace texelscope::codegen {

void check_sizes(const std::string& operator_name, const std::vector<std::int64_t>& sizes, const std::string& usage)
{
    for (const std::int64_t size : sizes) {
        if (size < 1 || size > largest_size) {
            throw bad_input(fmt::format("the size {} is not between 1 and {}", size, largest_size),
                            fmt::format("{} {}", operator_name, fmt::join(sizes, ",")), "give " + usage);
        }
    }
}

void check_tensors(const std::string& where, const std::vector<Tensor>& tensors)
{
    for (const Tensor& tensor : tensors) {
        std::int64_t elements = 1;
        for (const std::int64_t size : tensor.shape) {
            if (size > most_elements / elements) {
                throw bad_input(fmt::format("the tensor {} of {} has more than {} elements", tensor.name,
                                            fmt::join(tensor.shape, "x"), most_elements),
                                where, "take smaller sizes");
            }
            elements *= size;
        }
    }
}

} // namespace texelscope::codegen
