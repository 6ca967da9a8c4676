#include "devices/targets/store_kernel.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <array>

namespace texelscope::devices {
namespace {

void check(const StorePattern& pattern)
{
    if (pattern.columns < 1 || pattern.local % pattern.columns != 0 ||
        StorePattern::row % pattern.columns != 0 ||
        pattern.rows % (pattern.local / pattern.columns) != 0) {
        throw bad_input(fmt::format("{} columns of groups of {}", pattern.columns, pattern.local),
                        "stores", "give a divisor of both");
    }
}

std::int64_t groups_of(const StorePattern& pattern)
{
    return pattern.rows / (pattern.local / pattern.columns);
}

// A half texel is stored as a whole, as generated kernels do (codegen/text/kernel_source.cpp).
constexpr const char* half_text = R"(#define OUT global half *out
static void store(float4 texel, int at, global half *out)
{
    ushort4 bits;
    vstore_half4(texel, 0, (half *)&bits);
    ((global ushort4 *)out)[at] = bits;
}
)";
constexpr const char* float_text = R"(#define OUT global float4 *out
static void store(float4 texel, int at, global float4 *out)
{
    out[at] = texel;
}
)";
constexpr const char* kernel_text = R"(kernel __attribute__((reqd_work_group_size({0}, 1, 1)))
void stores(OUT)
{{
    const int item = get_local_id(0);
    const int row = item / {1} + {2} * (int)get_group_id(0);
    for (int i = 0; i < {3}; ++i) {{
        store((float4)(row, item, i, 1.0f), {4} * row + item % {1} + {1} * i, out);
    }}
}}
)";

} // namespace

Job store_job(const StorePattern& pattern)
{
    check(pattern);
    Job job;
    job.name = "stores";
    job.kernel = "stores";
    job.source =
        std::string(pattern.storage == Storage::fp16 ? half_text : float_text) +
        fmt::format(kernel_text, pattern.local, pattern.columns, pattern.local / pattern.columns,
                    StorePattern::row / pattern.columns, StorePattern::row);
    job.arguments.emplace_back(
        JobBuffer{pattern.rows * StorePattern::row * bytes_per_texel(pattern.storage), false, {}});
    job.global = {groups_of(pattern) * pattern.local, 1, 1};
    job.local = {pattern.local, 1, 1};
    return job;
}

Launch store_launch(const StorePattern& pattern)
{
    check(pattern);
    const Bytes texel{bytes_per_texel(pattern.storage)};
    Launch launch;
    launch.kernel = "stores";
    launch.local = {pattern.local, 1, 1};
    launch.groups = {static_cast<std::int32_t>(groups_of(pattern)), 1, 1};
    launch.images = {{.name = "one", .extent = {1, 1}, .bytes_per_texel = texel}};
    launch.output = {.name = "out",
                     .extent = {static_cast<std::int32_t>(pattern.rows * StorePattern::row), 1},
                     .bytes_per_texel = texel,
                     .buffer = true};
    const std::array ids = work_item_variables(launch.groups, launch.local);
    const IndexExpr item(ids[slots::local_x]);
    const std::int64_t columns = pattern.columns;
    const IndexExpr row =
        floor_div(item, columns) + pattern.local / columns * IndexExpr(ids[slots::group_x]);
    Loop loop{Variable{slots::first_loop_slot, "i", {0, StorePattern::row / columns - 1}}, {}};
    loop.body.emplace_back(Work{.stored = texel,
                                .store = Store{StorePattern::row * row + mod(item, columns) +
                                                   columns * IndexExpr(loop.variable),
                                               IndexExpr(0),
                                               {}}});
    launch.body.emplace_back(AccessFunction{0, IndexExpr(0), IndexExpr(0)});
    launch.body.emplace_back(std::move(loop));
    return launch;
}

} // namespace texelscope::devices
