#include "codegen/lowering/sweep_nest.hpp"
#include "codegen/nest/loop_nest.hpp"

namespace texelscope::codegen {

std::vector<NestValue> SweepNest::meet(const std::vector<NestValue>& accumulators,
                                       const std::string& prefix, Meet how)
{
    std::vector<NestValue> found = accumulators;
    if (sweep_.lines == SweepLines::rows) {
        const bool constant = schedule_.split == 1; // exchange() assigns to it
        found = declare_lines(constant, prefix, [&](std::size_t i) {
            const NumberExpr all = accumulators[i];
            const auto component = [&](int number) { return all.component(number); };
            return how == Meet::largest
                       ? call("fmax", call("fmax", component(0), component(1)),
                              call("fmax", component(2), component(3)))
                       : (component(0) + component(1)).grouped() + (component(2) + component(3));
        });
    }
    if (schedule_.split > 1) {
        exchange(found, how);
    }
    return found;
}

/// Puts in place of each value what those of all parts come to.
void SweepNest::exchange(const std::vector<NestValue>& values, Meet how)
{
    const std::int64_t packed =
        sweep_.lines == SweepLines::rows ? components : 1; // values of a float4 in local memory
    const std::int64_t vectors = ceil_div(std::ssize(values), packed);
    body_.emplace_back(NestMeet{.values = values,
                                .how = how,
                                .array = 0,
                                .parts = schedule_.split,
                                .items = grid_.items,
                                .again = met_,
                                .place = NestMeet::Place{grid_.home, grid_.grid.part},
                                .everybody = true});
    met_ = true;
    const std::int64_t items = grid_.items * schedule_.split;
    nest_.local_arrays = {
        {.width = components, .name = "shared", .count = vectors * items, .of_item = vectors}};
}

} // namespace texelscope::codegen
