// A kernel that reads as fast as the device can: four independent sums, places that depend on
// arguments only, and a mask instead of a modulo to stay within the elements.

#include "devices/targets/stream_kernel.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "traces/index/index_expr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace texelscope::devices {
namespace {

constexpr int number_bytes = 4;

void check(const Stream& stream)
{
    constexpr std::array widths{1, 2, 4, 8, 16};
    const bool known = std::find(widths.begin(), widths.end(), stream.width) != widths.end();
    if (!known || (stream.memory == MemorySpace::image && stream.width > 4)) {
        throw bad_input(
            fmt::format("{} numbers in a read of {}", stream.width, to_string(stream.memory)),
            "stream", "an image's texel has 1, 2 or 4, others also 8 or 16");
    }
    if (stream.elements < 1 || !std::has_single_bit(static_cast<std::uint64_t>(stream.elements))) {
        throw bad_input(fmt::format("{} elements", stream.elements), "stream",
                        "give a power of two");
    }
    if (stream.reads < 1 || stream.reads % Stream::unroll != 0) {
        throw bad_input(fmt::format("{} reads", stream.reads), "stream",
                        fmt::format("give a multiple of {}", Stream::unroll));
    }
}

std::string vector_of(const std::string& number, int width)
{
    return width == 1 ? number : fmt::format("{}{}", number, width);
}

/// Bits of the x coordinate of an image whose sides are powers of two and about equal: an element's
/// number is split into x and y by a mask and a shift.
unsigned row_bits(const Stream& stream)
{
    return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(stream.elements))) / 2;
}

/// The element at place `at`, as float.
std::string read_of(const Stream& stream, const std::string& at)
{
    if (stream.memory != MemorySpace::image) {
        return fmt::format("{}[{}]", stream.memory == MemorySpace::local ? "array" : "data", at);
    }
    const std::string place = fmt::format("(int2)(({0}) & row_mask, ({0}) >> row_bits)", at);
    const char* const numbers = stream.width == 1 ? ".x" : stream.width == 2 ? ".xy" : "";
    return stream.type == TexelType::uint8
               ? fmt::format("convert_{}(read_imageui(data, texel_sampler, {}){})",
                             vector_of("float", stream.width), place, numbers)
               : fmt::format("read_imagef(data, texel_sampler, {}){}", place, numbers);
}

// The kernel: an element's place starts at a multiple of `apart` for each group, plus `lane` for
// each work-item, and moves by `step`. The mask keeps places within the elements, whose number is a
// power of two. All sums end up in one number that is written, so that no read can be dropped.
std::string text_of(const Stream& stream)
{
    const std::string vector = vector_of("float", stream.width);
    const bool image = stream.memory == MemorySpace::image;
    const bool local = stream.memory == MemorySpace::local;
    IndentedText out;
    if (image) {
        out.line(
            "constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | "
            "CLK_FILTER_NEAREST;");
    }
    out.line(fmt::format("kernel __attribute__((reqd_work_group_size({}, 1, 1)))", stream.local));
    out.line(fmt::format("void stream({} data, global float *end, int mask, int apart, int lane, "
                         "int step, int turns{})",
                         image ? "read_only image2d_t"
                         : stream.memory == MemorySpace::constant
                             ? fmt::format("constant {} *", vector)
                             : fmt::format("global const {} *restrict", vector),
                         image   ? ", int row_mask, int row_bits"
                         : local ? fmt::format(", local {} *array", vector)
                                 : ""));
    out.open("{");
    if (local) {
        out.open("for (int i = get_local_id(0); i <= mask; i += get_local_size(0)) {");
        out.line("array[i] = data[i];");
        out.close();
        out.line("barrier(CLK_LOCAL_MEM_FENCE);");
    }
    out.line("int at = ((int)get_group_id(0) * apart + (int)get_local_id(0) * lane) & mask;");
    for (int u = 0; u < Stream::unroll; ++u) {
        out.line(fmt::format("{0} s{1} = ({0})(0.0f);", vector, u));
    }
    out.open("for (int i = 0; i < turns; ++i) {");
    for (int u = 0; u < Stream::unroll; ++u) {
        out.line(fmt::format("s{} += {};", u, read_of(stream, "at")));
        out.line("at = (at + step) & mask;");
    }
    out.close();
    // The text above and below names four sums.
    out.line(fmt::format("const {} sum = s0 + s1 + s2 + s3;", vector));
    static_assert(Stream::unroll == 4);
    std::string total = stream.width == 1 ? "sum" : "sum.s0";
    for (int i = 1; i < stream.width; ++i) {
        total += fmt::format(" + sum.s{}", "0123456789abcdef"[i]);
    }
    out.line(fmt::format("end[get_global_id(0)] = {};", total));
    out.close();
    return out.text();
}

} // namespace

Job stream_job(const Stream& stream)
{
    check(stream);
    const std::int64_t bytes = stream.elements * stream.width * number_bytes;
    const std::int64_t items = std::int64_t{stream.groups} * stream.local;
    const auto number = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    const std::int64_t row = std::int64_t{1} << row_bits(stream);
    Job job;
    job.name = "stream";
    job.kernel = "stream";
    job.source = text_of(stream);
    if (stream.memory == MemorySpace::image) {
        job.arguments.emplace_back(
            JobImage{row, stream.elements / row, stream.type, false, {}, stream.width});
    } else {
        job.arguments.emplace_back(JobBuffer{bytes, false, {}});
    }
    job.arguments.emplace_back(JobBuffer{items * number_bytes, true, {}});
    // In the order of the kernel's parameters: mask, apart, lane, step, turns. Where all work-items
    // read the same element, their lanes are 0 apart and a step is one element; else neighbours
    // read neighbours, and a step is a whole group.
    for (const std::int64_t value :
         {stream.elements - 1, stream.elements / stream.groups, std::int64_t{stream.same ? 0 : 1},
          std::int64_t{stream.same ? 1 : stream.local}, stream.reads / Stream::unroll}) {
        job.arguments.emplace_back(number(value));
    }
    if (stream.memory == MemorySpace::image) {
        job.arguments.emplace_back(number(row - 1));
        job.arguments.emplace_back(number(row_bits(stream)));
    } else if (stream.memory == MemorySpace::local) {
        job.arguments.emplace_back(JobLocal{bytes});
    }
    job.global = {items, 1, 1};
    job.local = {stream.local, 1, 1};
    job.outputs = {1};
    return job;
}

} // namespace texelscope::devices
