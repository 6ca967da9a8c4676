#include "base/progress.hpp"

namespace texelscope::base {

Progress part_progress(const Progress& whole, std::size_t i, std::size_t count,
                       const std::string& name)
{
    if (!whole) {
        return {};
    }
    return [whole, i, count, start = name.empty() ? name : name + ": "](const std::string& stage,
                                                                        double fraction) {
        whole(start + stage, (static_cast<double>(i) + fraction) / static_cast<double>(count));
    };
}

} // namespace texelscope::base
