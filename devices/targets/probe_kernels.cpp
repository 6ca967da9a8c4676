// Kernels of the probes. In each chase, the next place comes out of the read before, so reads
// cannot overlap and the time is their latency. The final place is written, or the compiler would
// drop everything.

#include "devices/targets/probe_kernels.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <set>
#include <utility>

namespace texelscope::devices {
namespace {

std::array<std::int64_t, 3> sizes(const Dim3& d)
{
    return {d[0], d[1], d[2]};
}

constexpr const char* image_chase =
    R"(constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void chase(read_only image2d_t links, global int *end, int x, int y, int reads)
{
    int2 at = (int2)(x, y);
    for (int i = 0; i < reads; ++i) {
        at = convert_int2(read_imagef(links, texel_sampler, at).xy);
    }
    end[0] = at.x;
    end[1] = at.y;
}
)";

constexpr const char* array_chase =
    R"(kernel void chase({} int4 *restrict links, global int *end, int x, int y, int reads)
{{
    int at = x;
    for (int i = 0; i < reads; ++i) {{
        at = links[at].x;
    }}
    end[0] = at;
    end[1] = y;
}}
)";

/// Sixteen work-items copy the links into local memory, because copying would take one of them
/// long; then the first one alone chases.
constexpr std::int64_t local_chase_items = 16;
constexpr const char* local_chase =
    R"(kernel void chase(global const int4 *restrict from, global int *end, int x, int y, int reads)
{{
    local int4 links[{0}];
    for (int i = get_local_id(0); i < {0}; i += get_local_size(0)) {{
        links[i] = from[i];
    }}
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {{
        int at = x;
        for (int i = 0; i < reads; ++i) {{
            at = links[at].x;
        }}
        end[0] = at;
        end[1] = y;
    }}
}}
)";

/// Slot of the variable `zero`, which is always 0: far above the names that a nest gives itself.
constexpr int zero_slot = LoopNest::first_named_slot + 40;

/// The body of a read kernel: each read moved by what the one before has brought, which is zero.
class ReadBody {
public:
    ReadBody(LoopNest& nest, const ReadKernel& kernel) : nest_(nest), kernel_(kernel) {}

    [[nodiscard]] std::vector<NestStatement> of(const std::vector<Statement>& body)
    {
        std::vector<NestStatement> out;
        for (const Statement& statement : body) {
            if (const auto* access = std::get_if<AccessFunction>(&statement)) {
                read(*access, out);
            } else {
                const Loop& loop = std::get<Loop>(statement);
                out.emplace_back(NestLoop{loop.variable, of(loop.body)});
            }
        }
        return out;
    }

private:
    void read(const AccessFunction& access, std::vector<NestStatement>& out)
    {
        const std::string name = fmt::format("v{}", next_++);
        const NestValue value = nest_.add_value(name, 4);
        const IndexExpr zero(Variable{zero_slot, "zero", {0, 1}});
        out.emplace_back(NestRead{value, {access.image, access.x + zero, access.y}});
        out.emplace_back(NestText{fmt::format("zero = (int){}.x;", name)});
        if (kernel_.multiply_adds > 0) {
            out.emplace_back(NestText{
                fmt::format("for (int m = 0; m < {}; ++m) {{\n    sum = mad(sum, {}.y, 1.0f);\n}}",
                            static_cast<std::int64_t>(kernel_.multiply_adds), name)});
        }
        // The condition is never true, but the compiler cannot know that, and keeps the registers.
        if (kernel_.registers > 0) {
            std::string text = "if (zero != 0) {\n";
            for (int r = 0; r < kernel_.registers; ++r) {
                text += fmt::format("    r{} = mad(r{}, {}.x, {}.0f);\n", r,
                                    (r + 1) % kernel_.registers, name, r);
            }
            out.emplace_back(NestText{text + "}"});
        }
    }

    LoopNest& nest_;
    const ReadKernel& kernel_;
    int next_ = 0;
};

} // namespace

Job chase_job(const Chase& chase, std::int64_t reads)
{
    // The memory holds the walk as a closed list: each texel says where the next one is, and the
    // last one where the first is. So no texel can occur twice, and a chase can be longer than its
    // walk.
    const std::set<Texel> different(chase.walk.begin(), chase.walk.end());
    if (different.size() != chase.walk.size()) {
        throw bad_input("a texel occurs twice in a walk", "chase",
                        "a texel can hold the place of one other");
    }
    // The number of a texel, by which links in buffers refer to it.
    const auto at = [&](Texel texel) {
        return static_cast<std::uint32_t>(std::int64_t{texel.y} * chase.extent.width + texel.x);
    };
    constexpr std::int64_t bytes = 16; // of a texel
    // Words of 8 bytes: a texel has two, of which the first holds the link.
    constexpr std::uint32_t words = 2;
    if (chase.extent.area() > std::int64_t{1} << 31) {
        throw bad_input("an image of more than 2^31 texels", "chase", "use a smaller one");
    }
    Job job;
    job.name = "chase";
    job.kernel = "chase";
    const Texel first = chase.walk.front();
    if (chase.memory == MemorySpace::image) {
        JobImage image{chase.extent.width, chase.extent.height, TexelType::fp32, false, {}};
        for (std::size_t i = 0; i < chase.walk.size(); ++i) {
            const Texel next = chase.walk[(i + 1) % chase.walk.size()];
            // Coordinates are whole numbers below 2^24, which floats hold exactly.
            const std::array<float, 2> place{static_cast<float>(next.x),
                                             static_cast<float>(next.y)};
            JobWord& word = image.words.emplace_back(JobWord{at(chase.walk[i]) * words, 0, {}});
            std::memcpy(word.value.data(), place.data(), sizeof place);
        }
        job.source = image_chase;
        job.arguments.emplace_back(std::move(image));
    } else {
        JobBuffer links{chase.extent.area() * bytes, false, {}};
        for (std::size_t i = 0; i < chase.walk.size(); ++i) {
            links.words.push_back(
                {at(chase.walk[i]) * words, 0, {at(chase.walk[(i + 1) % chase.walk.size()]), 0}});
        }
        job.source =
            chase.memory == MemorySpace::local
                ? fmt::format(local_chase, chase.extent.area())
                : fmt::format(array_chase,
                              chase.memory == MemorySpace::constant ? "constant" : "global const");
        job.arguments.emplace_back(std::move(links));
    }
    if (chase.memory == MemorySpace::local) {
        job.local = job.global = {local_chase_items, 1, 1};
    }
    job.arguments.emplace_back(JobBuffer{2 * sizeof(std::int32_t), true, {}});
    job.arguments.emplace_back(static_cast<std::int32_t>(
        chase.memory == MemorySpace::image ? std::int64_t{first.x}
                                           : static_cast<std::int64_t>(at(first))));
    job.arguments.emplace_back(std::int32_t{first.y});
    job.arguments.emplace_back(static_cast<std::int32_t>(reads));
    job.outputs = {1};
    return job;
}

// The launch as a loop nest, so that its text comes from where that of all generated kernels does.
// `zero` is part of what was read, and of the next place: so reads wait for each other.
Job read_job(const ReadKernel& kernel)
{
    LoopNest nest;
    nest.name = kernel.launch.kernel;
    nest.operator_text = kernel.launch.kernel;
    nest.groups = kernel.launch.groups;
    nest.local = kernel.launch.local;
    for (const Image& image : kernel.launch.images) {
        nest.inputs.push_back(texel_operand(image.name, image.extent));
    }
    nest.output = texel_operand("end", {1, 1});
    nest.output.memory = Memory::buffer;
    nest.prologue.emplace_back(NestText{"int zero = 0;"});
    if (kernel.multiply_adds > 0) {
        nest.prologue.emplace_back(NestText{"float sum = 0.0f;"});
    }
    for (int r = 0; r < kernel.registers; ++r) {
        nest.prologue.emplace_back(
            NestText{fmt::format("float r{} = (float)(get_local_id(0) + {});", r, r)});
    }
    nest.body = ReadBody(nest, kernel).of(kernel.launch.body);
    std::string kept = kernel.multiply_adds > 0 ? "sum" : "0.0f";
    for (int r = 0; r < kernel.registers; ++r) {
        kept += fmt::format(" + r{}", r);
    }
    // Again never true; it makes every sum and register count.
    nest.epilogue.emplace_back(NestText{fmt::format(
        "if (zero != 0 || {} == -1.0f) {{\n    end[0] = (float4)({});\n}}", kept, kept)});
    Job job;
    job.name = nest.name;
    job.kernel = nest.name;
    job.source = opencl_text(nest, TexelBackend::native);
    for (const Image& image : kernel.launch.images) {
        job.arguments.emplace_back(
            JobImage{image.extent.width, image.extent.height, TexelType::fp32, false, {}});
    }
    job.arguments.emplace_back(JobBuffer{16, true, {}});
    job.global = sizes(global_size(nest));
    job.local = sizes(nest.local);
    return job;
}

// `chains` independent chains of multiply-adds, c = c * 0.999 + 0.001, whose values stay finite,
// because they tend to 1.
Job arithmetic_job(const Arithmetic& kernel)
{
    const std::string number = kernel.storage == Storage::fp32 ? "float" : "half";
    const std::string vector =
        kernel.width == 1 ? number : fmt::format("{}{}", number, kernel.width);
    IndentedText out;
    if (kernel.storage == Storage::fp16) {
        out.line("#pragma OPENCL EXTENSION cl_khr_fp16 : enable");
    }
    // Drivers hold a kernel that is compiled for its work-group to no lower limit than that.
    out.line(fmt::format("kernel __attribute__((reqd_work_group_size({}, {}, {})))",
                         kernel.local[0], kernel.local[1], kernel.local[2]));
    out.line("void arithmetic(global float *end, float factor, float summand, int turns)");
    out.open("{");
    out.line(
        fmt::format("const {0} f = ({0})(({1})factor), s = ({0})(({1})summand);", vector, number));
    for (int c = 0; c < kernel.chains; ++c) {
        out.line(
            fmt::format("{0} c{1} = ({0})(({2})(get_global_id(0) + {1}));", vector, c, number));
    }
    out.open("for (int i = 0; i < turns; ++i) {");
    for (int c = 0; c < kernel.chains; ++c) {
        out.line(kernel.storage == Storage::fp32 ? fmt::format("c{0} = mad(c{0}, f, s);", c)
                                                 : fmt::format("c{0} = c{0} * f + s;", c));
    }
    out.close();
    out.line(fmt::format("{} sum = c0;", vector));
    for (int c = 1; c < kernel.chains; ++c) {
        out.line(fmt::format("sum += c{};", c));
    }
    std::string total = kernel.width == 1 ? "sum" : "sum.s0";
    for (int i = 1; i < kernel.width; ++i) {
        total += fmt::format(" + sum.s{}", "0123456789abcdef"[i]);
    }
    out.line(fmt::format(
        "end[get_global_id(0) + get_global_size(0) * get_global_id(1)] = (float)({});", total));
    out.close();
    Job job;
    job.name = "arithmetic";
    job.kernel = "arithmetic";
    job.source = out.text();
    std::int64_t items = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        job.local[axis] = kernel.local[axis];
        job.global[axis] = std::int64_t{kernel.groups[axis]} * kernel.local[axis];
        items *= job.global[axis];
    }
    job.arguments = {JobBuffer{items * 4, true, {}}, 0.999F, 0.001F,
                     static_cast<std::int32_t>(kernel.turns)};
    return job;
}

// Every work-item takes a number from a counter of its group and writes it down: work-items that
// run together get numbers next to each other.
Job arrival_job(const Dim3& local)
{
    Job job;
    job.name = "arrival";
    job.kernel = "arrival";
    job.source = fmt::format("kernel __attribute__((reqd_work_group_size({}, {}, {})))\n", local[0],
                             local[1], local[2]) +
                 R"(void arrival(global int *order)
{
    local int counter;
    if (get_local_id(0) + get_local_id(1) + get_local_id(2) == 0) {
        counter = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int before = atomic_inc(&counter);
    order[get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2))] = before;
}
)";
    const std::int64_t items = std::int64_t{local[0]} * local[1] * local[2];
    job.arguments = {JobBuffer{items * 4, true, {}}};
    job.global = sizes(local);
    job.local = sizes(local);
    job.outputs = {0};
    return job;
}

Job empty_job()
{
    Job job;
    job.name = "empty";
    job.kernel = "empty";
    job.source = "kernel void empty(void)\n{\n}\n";
    return job;
}

Job copy_job(const Transfer& transfer)
{
    const std::int64_t texels =
        std::max<std::int64_t>(1, ceil_div(transfer.bytes, texel_bytes(TexelType::fp32)));
    // Images are about square, with a width that is a power of two.
    std::int64_t width = 1;
    while (4 * width * width <= texels) {
        width *= 2;
    }
    Job job;
    job.name = "copy";
    job.work = transfer.to_device ? JobWork::copy_in : JobWork::copy_out;
    if (transfer.memory == Memory::image) {
        job.arguments = {JobImage{width, ceil_div(texels, width), TexelType::fp32, false, {}}};
    } else {
        job.arguments = {JobBuffer{texels * texel_bytes(TexelType::fp32), false, {}}};
    }
    return job;
}

} // namespace texelscope::devices
