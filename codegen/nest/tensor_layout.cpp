#include "codegen/nest/tensor_layout.hpp"

#include <algorithm>
#include <cstddef>

namespace texelscope::codegen {

bool TensorLayout::answers(const TensorLayout& other) const
{
    return std::ranges::equal(asked, other.asked, [](const Range& given, const Range& wanted) {
        return given.min <= wanted.min && given.max >= wanted.max;
    });
}

std::string to_string(const TensorLayout& layout)
{
    const auto side = [](const std::vector<int>& dims) {
        std::string text;
        for (const int d : dims) {
            text += (text.empty() ? "d" : ",d") + std::to_string(d);
        }
        return text.empty() ? std::string("1") : text;
    };
    return layout.by_sides() ? side(layout.across) + " x " + side(layout.down)
                             : to_string(layout.pattern);
}

TensorLayout joined(TensorLayout a, const TensorLayout& b)
{
    for (std::size_t d = 0; d < a.asked.size(); ++d) {
        a.asked[d] = {std::min(a.asked[d].min, b.asked[d].min),
                      std::max(a.asked[d].max, b.asked[d].max)};
    }
    return a;
}

} // namespace texelscope::codegen
