#include "codegen/lowering/sweep_nest.hpp"

#include <fmt/format.h>

namespace texelscope::codegen {
namespace {

constexpr const char* component_names = "xyzw";

} // namespace

std::vector<ValueId> SweepNest::meet(const std::vector<ValueId>& accumulators, const std::string& prefix, Meet how)
{
    std::vector<ValueId> found = accumulators;
    if (sweep_.lines == SweepLines::rows) {
        const std::string qualifier = schedule_.split > 1 ? "" : "const "; // exchange() assigns to it
        found = declare_lines(qualifier, prefix, [&](std::size_t i) {
            const std::string& name = nest_.name_of(accumulators[i]);
            const char* format = how == Meet::largest ? "fmax(fmax({0}.x, {0}.y), fmax({0}.z, {0}.w))"
                                                      : "({0}.x + {0}.y) + ({0}.z + {0}.w)";
            return Expression{fmt::format(fmt::runtime(format), name), {accumulators[i]}};
        });
    }
    if (schedule_.split > 1) {
        exchange(found, how);
    }
    return found;
}

/// Puts in place of each value what those of all parts come to. The parts are taken in the same order by everybody, so
/// that all get the same.
void SweepNest::exchange(const std::vector<ValueId>& values, Meet how)
{
    const bool rows = sweep_.lines == SweepLines::rows;
    const std::size_t packed = rows ? components : 1; // values of a float4 in local memory
    const std::int64_t items = grid_.items * schedule_.split;
    const std::int64_t vectors = ceil_div(static_cast<std::int64_t>(values.size()), static_cast<std::int64_t>(packed));
    const std::string barrier = "barrier(CLK_LOCAL_MEM_FENCE);\n";
    const auto name = [&](std::size_t i) { return nest_.name_of(values[i]); };
    const auto place_of = [&](std::int64_t vector, const IndexExpr& part) {
        return (vector * items + grid_.home + grid_.items * part).to_opencl();
    };
    std::string text = met_ ? barrier : ""; // others may still be reading what they met over before
    std::string first;
    std::string others;
    std::string back;
    for (std::int64_t v = 0; v < vectors; ++v) {
        const std::size_t from = static_cast<std::size_t>(v) * packed;
        std::string vector = name(from);
        if (rows) {
            for (std::size_t i = 1; i < packed; ++i) {
                vector += from + i < values.size() ? ", " + name(from + i) : ", 0.0f";
            }
            vector = "(float4)(" + vector + ")";
        }
        text += fmt::format("shared[{}] = {};\n", place_of(v, grid_.grid.part), vector);
        const std::string other = fmt::format("shared[{} + {} * p]", place_of(v, IndexExpr(0)), grid_.items);
        first += fmt::format("    float4 all{} = shared[{}];\n", v, place_of(v, IndexExpr(0)));
        others += how == Meet::sum ? fmt::format("        all{} += {};\n", v, other)
                                   : fmt::format("        all{0} = fmax(all{0}, {1});\n", v, other);
        for (std::size_t i = 0; i < packed && from + i < values.size(); ++i) {
            back += fmt::format("    {} = all{}{};\n", name(from + i), v,
                                rows ? std::string(".") + component_names[i] : std::string());
        }
    }
    text += barrier + "{\n" + first + fmt::format("    for (int p = 1; p < {}; ++p) {{\n", schedule_.split) + others +
            "    }\n" + back + "}";
    body_.emplace_back(NestCompute{text, -1, values});
    met_ = true;
    nest_.local_arrays = {{.width = components, .name = "shared", .count = vectors * items, .of_item = vectors}};
}

} // namespace texelscope::codegen
