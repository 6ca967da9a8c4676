#include "codegen/kernel_source.hpp"

#include "traces/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <sstream>

namespace texelscope {
namespace {

constexpr const char* sampler_text =
    "constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n";

// TEXEL: coordinates known to be inside of the image. TEXEL_BORDER: they may be outside, which reads zero.
constexpr const char* native_text = R"(#define TEXEL(image, x, y) read_imagef(image, texel_sampler, (int2)(x, y))
#define TEXEL_BORDER(image, x, y) read_imagef(image, texel_sampler, (int2)(x, y))
)";

// The head of the descriptor that PoCL's CPU devices pass for an image argument; rows are row_pitch bytes apart.
constexpr const char* descriptor_text = R"(typedef struct {
    global const float4 *data;
    int width, height, depth, array_size, row_pitch, slice_pitch, mips, samples, order, type, channels, elem_size;
} texel_image;
static float4 texel_at(global const texel_image *image, int x, int y)
{
    return image->data[y * (image->row_pitch >> 4) + x];
}
static float4 texel_or_border(global const texel_image *image, int x, int y)
{
    return (uint)x < (uint)image->width && (uint)y < (uint)image->height ? texel_at(image, x, y) : (float4)(0.0f);
}
#define TEXEL(image, x, y) texel_at(__builtin_astype(image, global const texel_image *), x, y)
#define TEXEL_BORDER(image, x, y) texel_or_border(__builtin_astype(image, global const texel_image *), x, y)
)";

constexpr const char* record_text =
    R"(#define TEXEL(image, x, y) (trace[trace_at++] = (int4)(image##_number, x, y, 1), read_imagef(image, texel_sampler, (int2)(x, y)))
#define TEXEL_BORDER(image, x, y) TEXEL(image, x, y)
)";

std::string prelude(const LoopNest& nest, TexelBackend backend)
{
    switch (backend) {
    case TexelBackend::native:
        return std::string(sampler_text) + native_text;
    case TexelBackend::pocl_descriptor:
        return descriptor_text;
    case TexelBackend::record: {
        std::string numbers;
        for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
            numbers += fmt::format("#define {}_number {}\n", nest.inputs[i].image.name, i);
        }
        return sampler_text + numbers + record_text;
    }
    }
    return {};
}

/// Lines of a block, each indented.
class Writer {
public:
    void line(int depth, const std::string& text)
    {
        text_ += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + '\n';
    }
    void lines(int depth, const std::string& block)
    {
        std::istringstream in(block);
        for (std::string text; std::getline(in, text);) {
            line(depth, text);
        }
    }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

std::string condition(const std::vector<Guard>& guards, const char* relation, const char* junction)
{
    std::string text;
    for (const Guard& guard : guards) {
        text +=
            (text.empty() ? "" : junction) + fmt::format("{} {} {}", guard.value.to_opencl(), relation, guard.bound);
    }
    return text;
}

void write_body(const std::vector<NestStatement>& body, const LoopNest& nest, int depth, Writer& out)
{
    for (const NestStatement& statement : body) {
        if (const auto* read = std::get_if<NestRead>(&statement)) {
            const Image& image = nest.inputs[static_cast<std::size_t>(read->access.image)].image;
            out.line(depth, fmt::format("const float4 {} = {}({}, {}, {});", read->target,
                                        always_inside(read->access, image) ? "TEXEL" : "TEXEL_BORDER", image.name,
                                        read->access.x.to_opencl(), read->access.y.to_opencl()));
        } else if (const auto* compute = std::get_if<NestCompute>(&statement)) {
            out.lines(depth, compute->text);
        } else if (const auto* write = std::get_if<NestWrite>(&statement)) {
            std::vector<Guard> open; // those that the bounds do not already settle
            for (const Guard& guard : write->guards) {
                if (guard.value.bounds().max >= guard.bound) {
                    open.push_back(guard);
                }
            }
            const std::string text = fmt::format("write_imagef({}, (int2)({}, {}), {});", nest.output.image.name,
                                                 write->x.to_opencl(), write->y.to_opencl(), write->value);
            if (open.empty()) {
                out.line(depth, text);
            } else {
                out.line(depth, "if (" + condition(open, "<", " && ") + ") {");
                out.line(depth + 1, text);
                out.line(depth, "}");
            }
        } else {
            const auto& loop = std::get<NestLoop>(statement);
            const std::string& name = loop.variable.name;
            out.line(depth, fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", name, loop.variable.range.max + 1));
            write_body(loop.body, nest, depth + 1, out);
            out.line(depth, "}");
        }
    }
}

std::string sizes(Dim3 d)
{
    return fmt::format("{}x{}x{}", d[0], d[1], d[2]);
}

Dim3 global_size(const LoopNest& nest)
{
    return {nest.groups[0] * nest.local[0], nest.groups[1] * nest.local[1], nest.groups[2] * nest.local[2]};
}

} // namespace

std::string to_string(TexelBackend backend)
{
    switch (backend) {
    case TexelBackend::native:
        return "native";
    case TexelBackend::pocl_descriptor:
        return "pocl-descriptor";
    case TexelBackend::record:
        return "record";
    }
    return {};
}

TexelBackend parse_texel_backend(const std::string& text)
{
    for (const TexelBackend backend : {TexelBackend::native, TexelBackend::pocl_descriptor, TexelBackend::record}) {
        if (text == to_string(backend)) {
            return backend;
        }
    }
    throw bad_input("'" + text + "' is not a way to read texels", {}, "use native, pocl-descriptor or record");
}

std::string opencl_text(const LoopNest& nest, TexelBackend backend)
{
    const bool record = backend == TexelBackend::record;
    Writer out;
    out.line(0, "// " + nest.operator_text);
    out.line(0, "// configuration " + nest.schedule_text);
    out.line(0, fmt::format("// launch: global size {}, work-group {}", sizes(global_size(nest)), sizes(nest.local)));
    for (const Operand& input : nest.inputs) {
        out.line(0, fmt::format("// {}: {}x{} RGBA float texels, read", input.image.name, input.image.extent.width,
                                input.image.extent.height));
    }
    out.line(0, fmt::format("// {}: {}x{} RGBA float texels, written", nest.output.image.name,
                            nest.output.image.extent.width, nest.output.image.extent.height));
    out.line(0, "");
    out.lines(0, prelude(nest, backend));
    out.line(0, "");
    out.line(0, fmt::format("kernel __attribute__((reqd_work_group_size({}, {}, {})))", nest.local[0], nest.local[1],
                            nest.local[2]));
    std::string arguments;
    for (const Operand& input : nest.inputs) {
        arguments += "read_only image2d_t " + input.image.name + ", ";
    }
    arguments += "write_only image2d_t " + nest.output.image.name;
    out.line(0, fmt::format("void {}({}{})", nest.name, arguments, record ? ", global int4 *trace" : ""));
    out.line(0, "{");

    // Only the ids that occur, so that no compiler complains.
    constexpr std::array calls{"get_local_id(0)", "get_local_id(1)", "get_local_id(2)",
                               "get_group_id(0)", "get_group_id(1)", "get_group_id(2)"};
    const auto ids = work_item_variables(nest.groups, nest.local);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const int slot = ids[i].slot;
        bool used = false;
        for (const LoopNest::Named& named : nest.names) {
            used = used || named.definition.uses_slots(slot, slot + 1);
        }
        if (used) {
            out.line(1, fmt::format("const int {} = {};", ids[i].name, calls[i]));
        }
    }
    for (const LoopNest::Named& named : nest.names) {
        out.line(1, fmt::format("const int {} = {};", named.variable.name, named.definition.to_opencl()));
    }
    if (!nest.guards.empty()) {
        out.line(1, "if (" + condition(nest.guards, ">=", " || ") + ") {");
        out.line(2, "return;");
        out.line(1, "}");
    }
    if (record) {
        out.line(1, "const size_t trace_group = get_group_id(0) + get_num_groups(0) * "
                    "(get_group_id(1) + get_num_groups(1) * get_group_id(2));");
        out.line(1, "const size_t trace_item = get_local_id(0) + get_local_size(0) * "
                    "(get_local_id(1) + get_local_size(1) * get_local_id(2));");
        out.line(1, fmt::format("size_t trace_at = (trace_group * {} + trace_item) * {};",
                                std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2],
                                reads_per_item(launch_of(nest).body)));
    }
    write_body(nest.body, nest, 1, out);
    out.line(0, "}");
    return out.text();
}

std::string launch_json(const LoopNest& nest)
{
    using nlohmann::ordered_json;
    const auto image = [](const Operand& operand) {
        return ordered_json{{"id", operand.image.name},
                            {"width", operand.image.extent.width},
                            {"height", operand.image.extent.height},
                            {"bytes", operand.image.bytes_per_texel.value},
                            {"tensor", operand.tensor.shape}};
    };
    ordered_json inputs = ordered_json::array();
    for (const Operand& input : nest.inputs) {
        inputs.push_back(image(input));
    }
    return ordered_json{{"schema", "texelscope.launch/1"},
                        {"kernel", nest.name},
                        {"operator", nest.operator_text},
                        {"config", nest.schedule_text},
                        {"global", global_size(nest)},
                        {"local", nest.local},
                        {"inputs", inputs},
                        {"output", image(nest.output)},
                        {"registers_estimate", nest.registers_per_item}}
               .dump(2) +
           "\n";
}

} // namespace texelscope
