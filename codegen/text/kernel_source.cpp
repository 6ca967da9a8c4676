// Prints a loop nest as OpenCL C. The kernel reads texels of images through the macros TEXEL and
// TEXEL_BORDER alone, which its head defines (kernel_head); so the same body runs natively, through
// PoCL's image descriptor, or records its reads. Names, declarations and statements come in the
// order of the nest.

#include "codegen/text/kernel_source.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/expression_text.hpp"
#include "codegen/text/kernel_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace texelscope::codegen {
namespace {

using namespace std::string_view_literals;

// Conditions of guards, joined; empty without guards.
std::string condition(const std::vector<Guard>& guards, const char* relation, const char* junction)
{
    std::string text;
    for (const Guard& guard : guards) {
        text += (text.empty() ? "" : junction) +
                fmt::format("{} {} {}", guard.value.to_opencl(), relation, guard.bound);
    }
    return text;
}

/// Writes statements of a nest. A loop's number of iterations is a named constant.
class BodyWriter {
public:
    BodyWriter(const LoopNest& nest, IndentedText& out)
        : nest_(nest), texel_type_(vector_type(nest, NumberType::factor, 4)), out_(out)
    {}

    void write(const std::vector<NestStatement>& body)
    {
        for (const NestStatement& statement : body) {
            std::visit([&](const auto& s) { write(s); }, statement);
        }
    }

private:
    void write(const NestRead& read)
    {
        const Operand& input = nest_.inputs[static_cast<std::size_t>(read.access.image)];
        const std::string& name = input.image.name;
        const std::string x = read.access.x.to_opencl();
        const std::string& target = nest_.name_of(read.target);
        if (input.memory == Memory::image) {
            out_.line_of(
                {"const ", texel_type_, " ", target,
                 always_inside(read.access, input.image) ? " = TEXEL(" : " = TEXEL_BORDER(", name,
                 ", ", x, ", ", read.access.y.to_opencl(), ");"});
        } else if (read.texels > 1) {
            out_.line(
                fmt::format("const float{0} {1} = vload{0}(0, (global const float *)({2} + {3}));",
                            read.texels * 4, target, name, x));
        } else if (input.storage == Storage::fp32) {
            out_.line_of({"const float4 ", target, " = ", name, "[", x, "];"});
        } else {
            out_.line_of(
                {"const ", texel_type_, " ", target, " = LOAD_TEXEL(", x, ", ", name, ");"});
        }
    }

    [[nodiscard]] const LoopNest::Value& value(NestValue number) const
    {
        return nest_.values[static_cast<std::size_t>(number)];
    }

    void write(const NestDeclare& declare)
    {
        const LoopNest::Value& target = value(declare.target);
        if (target.carried) {
            out_.line_of({"SUM(", target.name, ");"});
            return;
        }
        out_.line_of({declare.constant ? "const "sv : ""sv,
                      vector_type(nest_, target.type, target.registers), " ", target.name, " = ",
                      opencl_text(declare.value, nest_), ";"});
    }

    // A carried sum adds to its run of terms in half precision; CARRY adds the run to the sum.
    void write(const NestAssign& assign)
    {
        const bool run = assign.how == NestAssign::How::add && value(assign.target).carried;
        const std::string_view how = assign.how == NestAssign::How::add        ? " += "sv
                                     : assign.how == NestAssign::How::multiply ? " *= "sv
                                                                               : " = "sv;
        out_.line_of({run ? "RUN("sv : ""sv, nest_.name_of(assign.target), run ? ")"sv : ""sv, how,
                      opencl_text(assign.value, nest_), ";"});
    }

    void write(const NestMultiplyAdd& product)
    {
        // A component takes part in a vector's product as a vector of that component (splat).
        const std::string vector =
            product.splat == 0 ? ""
                               : "(" + vector_type(nest_, NumberType::factor, product.splat) + ")(";
        const auto open = [&](const NestFactor& f) {
            return f.component < 0 ? std::string_view() : vector;
        };
        const auto component = [&](const NestFactor& f) {
            return f.component < 0 ? ""sv : std::string_view(component_text(f.component));
        };
        const auto close = [&](const NestFactor& f) { return open(f).empty() ? ""sv : ")"sv; };
        const auto& [sum, a, b, dot, splat] = product;
        const bool run = value(sum).carried;
        out_.line_of({run ? "RUN("sv : ""sv, nest_.name_of(sum), run ? ")"sv : ""sv,
                      dot ? " += dot("sv : " += "sv, open(a), nest_.name_of(a.value), component(a),
                      close(a), dot ? ", "sv : " * "sv, open(b), nest_.name_of(b.value),
                      component(b), close(b), dot ? ");"sv : ";"sv});
    }

    void write(const NestBarrier&) { out_.line(barrier); }

    void write(const NestCarry& carry)
    {
        for (const NestValue sum : carry.sums) {
            out_.line_of({"CARRY(", nest_.name_of(sum), ");"});
        }
    }

    void write(const NestText& text) { out_.lines(text.text); }

    void write(const NestMeet& meet)
    {
        if (meet.again) {
            out_.line(barrier);
        } else if (!meet.place) {
            out_.line(fmt::format("const int item = (int)(get_local_id(0) + {} * (get_local_id(1) "
                                  "+ {} * get_local_id(2)));",
                                  nest_.local[0], nest_.local[1]));
        }
        if (meet.everybody) {
            meet_of_all(meet);
        } else {
            meet_of_first(meet);
        }
    }

    /// The sums of work-items that share outputs meet in local memory; the first part adds them up
    /// in its own values, and alone goes on to write.
    void meet_of_first(const NestMeet& meet)
    {
        const std::string& shared = array(meet.array);
        const std::int64_t all = meet.items * meet.parts;
        const auto place = [&](std::size_t i) {
            return i == 0 ? std::string("item")
                          : fmt::format("item + {}", static_cast<std::int64_t>(i) * all);
        };
        for (std::size_t i = 0; i < meet.values.size(); ++i) {
            out_.line_of({shared, "[", place(i), "] = ", nest_.name_of(meet.values[i]), ";"});
        }
        out_.line(barrier);
        out_.open(fmt::format("if (item < {}) {{", meet.items));
        out_.open(fmt::format("for (int other = 1; other < {}; ++other) {{", meet.parts));
        for (std::size_t i = 0; i < meet.values.size(); ++i) {
            out_.line(fmt::format("{} += {}[{} + other * {}];", nest_.name_of(meet.values[i]),
                                  shared, place(i), meet.items));
        }
        out_.close();
        out_.close();
    }

    /// Every part joins what all have left, in the same order. As many values as make an element of
    /// the array go together.
    void meet_of_all(const NestMeet& meet)
    {
        const LoopNest::LocalArray& shared =
            nest_.local_arrays[static_cast<std::size_t>(meet.array)];
        const bool singles = value(meet.values.front()).registers == 1;
        const std::size_t together = singles ? static_cast<std::size_t>(shared.width) : 1;
        const std::size_t vectors = (meet.values.size() + together - 1) / together;
        const auto place_of = [&](std::size_t vector, const IndexExpr& part) {
            const std::int64_t all = meet.items * meet.parts;
            return (static_cast<std::int64_t>(vector) * all + meet.place->home + meet.items * part)
                .to_opencl();
        };
        const std::string type = vector_type(nest_, NumberType::single, shared.width);
        for (std::size_t v = 0; v < vectors; ++v) {
            std::string list = nest_.name_of(meet.values[v * together]);
            for (std::size_t i = v * together + 1; i < (v + 1) * together; ++i) {
                list += i < meet.values.size() ? ", " + nest_.name_of(meet.values[i]) : ", 0.0f";
            }
            out_.line_of({shared.name, "[", place_of(v, meet.place->part),
                          "] = ", singles ? "(" + type + ")(" + list + ")" : list, ";"});
        }
        out_.line(barrier);
        out_.open("{");
        for (std::size_t v = 0; v < vectors; ++v) {
            out_.line(
                fmt::format("{} all{} = {}[{}];", type, v, shared.name, place_of(v, IndexExpr(0))));
        }
        out_.open(fmt::format("for (int p = 1; p < {}; ++p) {{", meet.parts));
        for (std::size_t v = 0; v < vectors; ++v) {
            const std::string other =
                fmt::format("{}[{} + {} * p]", shared.name, place_of(v, IndexExpr(0)), meet.items);
            out_.line(meet.how == NestMeet::How::sum
                          ? fmt::format("all{} += {};", v, other)
                          : fmt::format("all{0} = fmax(all{0}, {1});", v, other));
        }
        out_.close();
        for (std::size_t i = 0; i < meet.values.size(); ++i) {
            out_.line(fmt::format("{} = all{}{};", nest_.name_of(meet.values[i]), i / together,
                                  singles ? component_text(static_cast<int>(i % together)) : ""));
        }
        out_.close();
    }

    void write(const NestIndex& index)
    {
        out_.line_of({"const int ", index.variable.name, " = ", index.definition.to_opencl(), ";"});
    }

    void write(const NestWrite& write)
    {
        // Only guards that the bounds of their values do not already settle.
        std::vector<Guard> open;
        std::copy_if(write.guards.begin(), write.guards.end(), std::back_inserter(open),
                     [](const Guard& guard) { return guard.value.bounds().max >= guard.bound; });
        const Operand& output = nest_.output;
        const std::string& name = output.image.name;
        const std::string x = write.x.to_opencl();
        const std::string texel = opencl_text(write.value, nest_);
        std::string when = condition(open, "<", " && ");
        // Collective kernels have barriers, which all work-items must reach: those outside of the
        // output go along and only leave out the write.
        if (nest_.collective && !nest_.guards.empty()) {
            when = when.empty() ? "takes_part" : "takes_part && " + when;
        }
        if (!when.empty()) {
            out_.open("if (" + when + ") {");
        }
        if (output.memory == Memory::image) {
            out_.line_of({nest_.half_sums ? "WRITE_TEXEL(" : "write_imagef(", name, ", (int2)(", x,
                          ", ", write.y.to_opencl(), "), ", texel, ");"});
        } else if (output.storage == Storage::fp32) {
            out_.line_of({name, "[", x, "] = ", texel, ";"});
        } else {
            out_.line_of({"STORE_TEXEL(", texel, ", ", x, ", ", name, ");"});
        }
        if (!when.empty()) {
            out_.close();
        }
    }

    void write(const NestLocalRead& read)
    {
        out_.line(fmt::format("const {} {} = {}[{}];", texel_type_, nest_.name_of(read.target),
                              array(read.array), read.at.to_opencl()));
    }

    void write(const NestLocalWrite& write)
    {
        out_.line(fmt::format("{}[{}] = {};", array(write.array), write.at.to_opencl(),
                              nest_.name_of(write.value)));
    }

    [[nodiscard]] const std::string& array(int number) const
    {
        return nest_.local_arrays[static_cast<std::size_t>(number)].name;
    }

    void write(const NestLoop& loop)
    {
        const std::string& name = loop.variable.name;
        out_.open(
            fmt::format("for (int {0} = 0; {0} < {1}_COUNT; ++{0}) {{", name, upper_case(name)));
        write(loop.body);
        out_.close();
    }

    static constexpr const char* barrier = "barrier(CLK_LOCAL_MEM_FENCE);";

    const LoopNest& nest_;
    std::string texel_type_;
    IndentedText& out_;
};

/// The numbers of iterations of all loops, each name once.
void collect_counts(const std::vector<NestStatement>& body, std::vector<std::string>& lines)
{
    for (const NestStatement& statement : body) {
        if (const auto* loop = std::get_if<NestLoop>(&statement)) {
            std::string line = fmt::format("#define {}_COUNT {}", upper_case(loop->variable.name),
                                           loop->variable.extent());
            if (std::find(lines.begin(), lines.end(), line) == lines.end()) {
                lines.push_back(std::move(line));
            }
            collect_counts(loop->body, lines);
        }
    }
}

std::string sizes(Dim3 d)
{
    return fmt::format("{}x{}x{}", d[0], d[1], d[2]);
}

/// For the header comment: "A: 2x148 RGBA float texels, read".
std::string description(const KernelArgument& argument)
{
    const Operand& operand = argument.operand;
    const char* type = operand.storage == Storage::fp32 ? "float" : "half";
    const char* use = argument.written ? "written" : "read";
    return operand.memory == Memory::image
               ? fmt::format("{}: {}x{} RGBA {} texels, {}", operand.image.name,
                             operand.image.extent.width, operand.image.extent.height, type, use)
               : fmt::format("{}: buffer of {} RGBA {} texels, {}", operand.image.name,
                             operand.image.extent.width, type, use);
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
    for (const TexelBackend backend :
         {TexelBackend::native, TexelBackend::pocl_descriptor, TexelBackend::record}) {
        if (text == to_string(backend)) {
            return backend;
        }
    }
    throw bad_input("'" + text + "' is not a way to read texels", {},
                    "use native, pocl-descriptor or record");
}

std::string opencl_text(const LoopNest& nest, TexelBackend backend)
{
    const bool record = backend == TexelBackend::record;
    IndentedText out;
    const std::vector<KernelArgument> arguments = kernel_arguments(nest);
    out.line("// " + nest.operator_text);
    out.line("// configuration " + nest.schedule_text);
    out.line(fmt::format("// launch: global size {}, work-group {}", sizes(global_size(nest)),
                         sizes(nest.local)));
    std::string declarations;
    for (const KernelArgument& argument : arguments) {
        out.line("// " + description(argument));
        declarations += (declarations.empty() ? "" : ", ") + argument.declaration();
    }
    out.line("");
    for (const std::string& part : kernel_head(nest, backend)) {
        out.lines(part);
        out.line("");
    }
    std::vector<std::string> counts;
    collect_counts(nest.body, counts);
    for (const std::string& line : counts) {
        out.line(line);
    }
    if (!counts.empty()) {
        out.line("");
    }
    out.line(fmt::format("kernel __attribute__((reqd_work_group_size({}, {}, {})))", nest.local[0],
                         nest.local[1], nest.local[2]));
    out.line(fmt::format("void {}({}{})", nest.name, declarations,
                         record ? ", global int4 *trace" : ""));
    out.open("{");
    for (const LoopNest::LocalArray& array : nest.local_arrays) {
        const std::string type = array.factors ? vector_type(nest, NumberType::factor, array.width)
                                 : array.width == 1 ? "float"
                                                    : "float" + std::to_string(array.width);
        out.line(fmt::format("local {} {}[{}];", type, array.name, array.count));
    }

    // Only the ids that occur, so that no compiler complains.
    constexpr std::array calls{"get_local_id(0)", "get_local_id(1)", "get_local_id(2)",
                               "get_group_id(0)", "get_group_id(1)", "get_group_id(2)"};
    const auto ids = work_item_variables(nest.groups, nest.local);
    const std::array<bool, 6> used = used_work_item_ids(nest);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (used[i]) {
            out.line(fmt::format("const int {} = {};", ids[i].name, calls[i]));
        }
    }
    for (const LoopNest::Named& named : nest.names) {
        out.line(
            fmt::format("const int {} = {};", named.variable.name, named.definition.to_opencl()));
    }
    // A work-item outside of the output leaves at once, unless others wait for it at barriers.
    const bool guarded = !nest.guards.empty();
    if (guarded && nest.collective) {
        out.line("const bool takes_part = " + condition(nest.guards, "<", " && ") + ";");
    } else if (guarded) {
        out.open("if (" + condition(nest.guards, ">=", " || ") + ") {");
        out.line("return;");
        out.close();
    }
    if (record) {
        out.line("const size_t trace_group = get_group_id(0) + get_num_groups(0) * "
                 "(get_group_id(1) + get_num_groups(1) * get_group_id(2));");
        out.line("const size_t trace_item = get_local_id(0) + get_local_size(0) * "
                 "(get_local_id(1) + get_local_size(1) * get_local_id(2));");
        // The place of the work-item's part of the trace: work-items by group, then within the
        // group.
        out.line(fmt::format("size_t trace_at = (trace_group * {} + trace_item) * {};",
                             std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2],
                             reads_per_item(launch_of(nest).body)));
    }
    BodyWriter writer(nest, out);
    writer.write(nest.prologue);
    if (guarded && nest.collective) {
        out.open("if (takes_part) {");
        writer.write(nest.body);
        out.close();
    } else {
        writer.write(nest.body);
    }
    writer.write(nest.epilogue);
    out.close();
    return out.text();
}

} // namespace texelscope::codegen
