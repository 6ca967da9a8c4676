#include "traces/launch_part.hpp"

#include <algorithm>

namespace texelscope::traces {
namespace {

void find_longest(std::vector<Statement>& body, Loop*& longest)
{
    for (Statement& statement : body) {
        if (auto* loop = std::get_if<Loop>(&statement)) {
            if (longest == nullptr || loop->extent() > longest->extent()) {
                longest = loop;
            }
            find_longest(loop->body, longest);
        }
    }
}

std::int64_t longest_extent(const std::vector<Statement>& body)
{
    std::int64_t longest = 1;
    for (const Statement& statement : body) {
        if (const auto* loop = std::get_if<Loop>(&statement)) {
            longest = std::max({longest, loop->extent(), longest_extent(loop->body)});
        }
    }
    return longest;
}

} // namespace

std::int64_t longest_loop(const Launch& launch)
{
    return longest_extent(launch.body);
}

Launch with_longest_loop(Launch launch, std::int64_t iterations)
{
    Loop* longest = nullptr;
    find_longest(launch.body, longest);
    if (longest != nullptr) {
        longest->variable.range.max = iterations - 1;
    }
    return launch;
}

Launch with_first_groups(Launch launch, std::int64_t count)
{
    const std::int64_t row = launch.groups[0];
    const std::int64_t plane = row * launch.groups[1];
    const auto cut = [](std::int64_t n, std::int32_t most) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(n, 1, most));
    };
    launch.groups = {cut(count, launch.groups[0]), cut(ceil_div(count, row), launch.groups[1]),
                     cut(ceil_div(count, plane), launch.groups[2])};
    return launch;
}

} // namespace texelscope::traces
