#include "workbench/kernel_logs/tvm_unroll.hpp"

namespace texelscope::workbench::kernel_logs {

std::vector<bool> written_out(const std::vector<TvmLoop>& loops, std::int64_t stores,
                              std::int64_t most_steps)
{
    constexpr int most_depth = 8; // auto_max_depth, compared before the loop itself is counted
    std::vector<bool> out;
    std::int64_t steps = stores;
    int depth = 0;
    bool loop_inside = false;
    for (const TvmLoop& loop : loops) {
        if (loop.extent == 1) {
            out.push_back(false);
            continue;
        }
        const bool automatic =
            !loop_inside && depth <= most_depth && loop.extent <= most_steps / steps;
        if (loop.marked || automatic) {
            steps *= loop.extent;
            ++depth;
        } else {
            loop_inside = true;
        }
        out.push_back(loop.marked || automatic);
    }
    return out;
}

} // namespace texelscope::workbench::kernel_logs
