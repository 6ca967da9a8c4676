#include "codegen/text/kernel_head.hpp"

#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/expression_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::codegen {
namespace {

// The head of kernels whose tensors are in half precision. Whether the device can compute in half
// precision is known to its compiler alone, so the text has both ways.
constexpr const char* half_head =
    R"(#if defined(cl_khr_fp16) && !defined(FLOAT_ARITHMETIC) // products and sums in half precision
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define READ_TEXEL read_imageh
#define WRITE_TEXEL(image, at, texel) write_imageh(image, at, convert_half4(texel))
)";
constexpr const char* float_head = R"(#else // in float32
#define READ_TEXEL read_imagef
#define WRITE_TEXEL write_imagef
)";
// Half texels of buffers. One lies at a multiple of its 8 bytes, and the text says so. Of
// vload_half4, which may lie at any half, compilers for Adreno and Mali make four reads, and of
// vstore_half4 and vstorea_half4 NVIDIA's makes four writes.
constexpr const char* halves_to_halves =
    R"(#define LOAD_TEXEL(at, buffer) (((global const half4 *)(buffer))[at])
)";
constexpr const char* store_by_type =
    R"(#define STORE_TEXEL(texel, at, buffer) (((global half4 *)(buffer))[at] = convert_half4(texel))
)";
constexpr const char* halves_to_floats =
    R"(static float4 load_texel(int at, global const half *buffer)
{
    const ushort4 bits = ((global const ushort4 *)buffer)[at];
    return vload_half4(0, (const half *)&bits);
}
static void store_texel(float4 texel, int at, global half *buffer)
{
    ushort4 bits;
    vstore_half4(texel, 0, (half *)&bits);
    ((global ushort4 *)buffer)[at] = bits;
}
#define LOAD_TEXEL load_texel
#define STORE_TEXEL store_texel
)";
// The same where sums are in float32 whatever the device can do. The first way, where the compiler
// has the type, takes the fewest instructions.
constexpr const char* half_type_to_floats = R"(#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define LOAD_TEXEL(at, buffer) convert_float4(((global const half4 *)(buffer))[at])
)";
// A sum in float32, and the run of terms in half precision that is carried into it.
constexpr const char* half_sums =
    R"(#define SUM(sum) float{0} sum = (float{0})(0.0f); half{0} sum##_run = (half{0})(0.0f)
#define RUN(sum) sum##_run
#define CARRY(sum) sum += convert_float{0}(sum##_run); sum##_run = (half{0})(0.0f)
)";
constexpr const char* float_sums = R"(#define SUM(sum) float{0} sum = (float{0})(0.0f)
#define RUN(sum) sum
#define CARRY(sum)
)";

// TEXEL: coordinates known to be inside of the image. Without a sampler (OpenCL 1.2, 6.12.14.3)
// they go to the texture unit as they are; with one, compilers for Adreno convert them to floats
// first, as for filtering.
constexpr const char* native_text = R"(#define TEXEL(image, x, y) {0}(image, (int2)(x, y))
)";
// TEXEL_BORDER: they may be outside, which reads zero.
constexpr const char* native_border_text =
    R"(constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#define TEXEL_BORDER(image, x, y) {0}(image, texel_sampler, (int2)(x, y))
)";

// The head of the descriptor that PoCL's CPU devices pass for an image argument; rows are row_pitch
// bytes apart.
constexpr const char* descriptor_head = R"(typedef struct {{
    global const void *data;
    int width, height, depth, array_size, row_pitch, slice_pitch, mips, samples, order, type, channels, elem_size;
}} texel_image;
static {0} texel_at(global const texel_image *image, int x, int y)
{{
)";
constexpr const char* descriptor_fp32 =
    "    return ((global const float4 *)image->data)[y * (image->row_pitch >> 4) + x];\n";
constexpr const char* descriptor_fp16 =
    "    return {1}(y * (image->row_pitch >> 3) + x, (global const half *)image->data);\n";
constexpr const char* descriptor_tail = R"(}}
static {0} texel_or_border(global const texel_image *image, int x, int y)
{{
    return (uint)x < (uint)image->width && (uint)y < (uint)image->height ? texel_at(image, x, y) : ({0})(0.0f);
}}
#define TEXEL(image, x, y) texel_at(__builtin_astype(image, global const texel_image *), x, y)
#define TEXEL_BORDER(image, x, y) texel_or_border(__builtin_astype(image, global const texel_image *), x, y)
)";

// Each read appends (image, x, y, 1) to the work-item's part of the trace; the 1 tells a read from
// an entry that was never written.
constexpr const char* record_text =
    R"(#define RECORDED(image, x, y, texel) (trace[trace_at++] = (int4)(image##_number, x, y, 1), texel)
#define TEXEL(image, x, y) RECORDED(image, x, y, {0}(image, (int2)(x, y)))
)";
constexpr const char* record_border_text =
    R"(constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#define TEXEL_BORDER(image, x, y) RECORDED(image, x, y, {0}(image, texel_sampler, (int2)(x, y)))
)";

bool reads_images(const LoopNest& nest)
{
    return std::any_of(nest.inputs.begin(), nest.inputs.end(),
                       [](const Operand& input) { return input.memory == Memory::image; });
}

/// Whether a read of the body can leave its image.
bool reads_borders(const LoopNest& nest, const std::vector<NestStatement>& body)
{
    return std::any_of(body.begin(), body.end(), [&](const NestStatement& statement) {
        if (const auto* loop = std::get_if<NestLoop>(&statement)) {
            return reads_borders(nest, loop->body);
        }
        const auto* read = std::get_if<NestRead>(&statement);
        if (read == nullptr) {
            return false;
        }
        const Operand& input = nest.inputs[static_cast<std::size_t>(read->access.image)];
        return input.memory == Memory::image && !always_inside(read->access, input.image);
    });
}

// One of a texel's components, by its number, which is not known when the text is written.
constexpr const char* pick_text = "#define PICK(texel, c) ((c) < 2 ? ((c) == 0 ? (texel).x : "
                                  "(texel).y) : ((c) == 2 ? (texel).z : (texel).w))\n";

/// Whether some statement of the nest is such.
template <class Such>
bool any_statement(const std::vector<NestStatement>& body, const Such& such)
{
    return std::any_of(body.begin(), body.end(), [&](const NestStatement& statement) {
        const auto* loop = std::get_if<NestLoop>(&statement);
        return loop != nullptr ? any_statement(loop->body, such) : such(statement);
    });
}

template <class Such>
bool any_statement(const LoopNest& nest, const Such& such)
{
    return any_statement(nest.body, such) || any_statement(nest.epilogue, such);
}

/// Whether an expression that a value is declared as, or joined with, has such a node.
template <class Such>
bool any_node(const LoopNest& nest, const Such& such)
{
    return any_statement(nest, [&](const NestStatement& statement) {
        const auto* declare = std::get_if<NestDeclare>(&statement);
        const auto* assign = std::get_if<NestAssign>(&statement);
        const NumberExpr* const value = declare != nullptr  ? &declare->value
                                        : assign != nullptr ? &assign->value
                                                            : nullptr;
        return value != nullptr && std::any_of(value->nodes().begin(), value->nodes().end(), such);
    });
}

bool picks_components(const LoopNest& nest)
{
    return any_node(
        nest, [](const NumberExpr::Node& node) { return node.kind == NumberExpr::Kind::pick; });
}

/// Whether something that was computed in float32 becomes what products are made of.
bool makes_factors(const LoopNest& nest)
{
    return any_node(nest, [](const NumberExpr::Node& node) {
        return node.kind == NumberExpr::Kind::convert && node.type() == NumberType::factor;
    });
}

/// Whether a single number is declared that products are made of.
bool declares_factor(const LoopNest& nest)
{
    return any_statement(nest, [&](const NestStatement& statement) {
        const auto* declare = std::get_if<NestDeclare>(&statement);
        if (declare == nullptr || !declare->constant) {
            return false;
        }
        const LoopNest::Value& value = nest.values[static_cast<std::size_t>(declare->target)];
        return value.type == NumberType::factor && value.registers == 1;
    });
}

/// Whether the text reads or writes half texels through a pointer.
bool points_to_halves(const LoopNest& nest, TexelBackend backend)
{
    const auto halves = [&](const Operand& operand, bool pointer) {
        return operand.storage == Storage::fp16 && (pointer || operand.memory != Memory::image);
    };
    return halves(nest.output, false) ||
           std::any_of(nest.inputs.begin(), nest.inputs.end(), [&](const Operand& input) {
               return halves(input, backend == TexelBackend::pocl_descriptor);
           });
}

/// The choice of arithmetic, where there is one.
std::string arithmetic_text(const LoopNest& nest, TexelBackend backend)
{
    const bool pointers = points_to_halves(nest, backend);
    if (!nest.half_sums) {
        return pointers ? std::string(half_type_to_floats) + store_by_type + "#else\n" +
                              halves_to_floats + "#endif\n"
                        : "";
    }
    std::string half = half_head;
    std::string single = float_head;
    if (pointers) {
        half += std::string(halves_to_halves) + store_by_type;
        single += halves_to_floats;
    }
    const auto define = [&](const std::string& width) {
        half += fmt::format("typedef half{0} number{0};\n", width);
        single += fmt::format("typedef float{0} number{0};\n", width);
    };
    const int sum = nest.half_sums->numbers;
    define("4");
    if (sum != 1 && declares_factor(nest)) {
        define("");
    }
    if (sum != 4) {
        define(sum == 1 ? "" : std::to_string(sum));
    }
    const std::string width = sum == 1 ? "" : std::to_string(sum);
    if (makes_factors(nest)) {
        half += fmt::format("#define AS_NUMBER(single) convert_half{}(single)\n", width);
        single += "#define AS_NUMBER(single) (single)\n";
    }
    if (nest.half_sums->carried) {
        half += fmt::format(fmt::runtime(half_sums), width);
        single += fmt::format(fmt::runtime(float_sums), width);
    }
    return half + single + "#endif\n";
}

/// The macros TEXEL and TEXEL_BORDER, as the back end reads texels.
std::string texel_text(const LoopNest& nest, TexelBackend backend)
{
    if (!reads_images(nest)) {
        return {};
    }
    const bool borders = reads_borders(nest, nest.prologue) || reads_borders(nest, nest.body) ||
                         reads_borders(nest, nest.epilogue);
    const auto text = [](const std::string& parts, const std::string& type_or_read,
                         const std::string& load = {}) {
        return fmt::format(fmt::runtime(parts), type_or_read, load);
    };
    const char* const read = nest.half_sums ? "READ_TEXEL" : "read_imagef";
    switch (backend) {
    case TexelBackend::native:
        return text(std::string(native_text) + (borders ? native_border_text : ""), read);
    case TexelBackend::pocl_descriptor:
        return text(
            std::string(descriptor_head) +
                (nest.inputs.front().storage == Storage::fp32 ? descriptor_fp32 : descriptor_fp16) +
                descriptor_tail,
            vector_type(nest, NumberType::factor, 4), "LOAD_TEXEL");
    case TexelBackend::record: {
        std::string numbers;
        const std::vector<int> images = launch_images(nest);
        for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
            if (images[i] >= 0) {
                numbers +=
                    fmt::format("#define {}_number {}\n", nest.inputs[i].image.name, images[i]);
            }
        }
        return numbers + text(std::string(record_text) + (borders ? record_border_text : ""), read);
    }
    }
    return {};
}

} // namespace

std::vector<std::string> kernel_head(const LoopNest& nest, TexelBackend backend)
{
    std::vector<std::string> parts{arithmetic_text(nest, backend), texel_text(nest, backend),
                                   picks_components(nest) ? pick_text : ""};
    std::erase(parts, "");
    return parts;
}

} // namespace texelscope::codegen
