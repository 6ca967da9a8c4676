#include "codegen/passes/tile_dependence.hpp"

#include "codegen/nest/loop_nest.hpp"

#include <map>

namespace texelscope::codegen {
namespace {

using Axes = std::array<bool, 3>;

Axes operator|(Axes a, const Axes& b)
{
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = a[i] || b[i];
    }
    return a;
}

/// Axes that each variable depends on, by slot; loop variables and work-item ids are not in it.
using Dependence = std::map<int, Axes>;

Axes axes_of(const IndexExpr& expression, const Dependence& dependence)
{
    Axes axes{};
    for (const IndexTerm& term : expression.terms()) {
        if (term.atom.kind != IndexAtom::Kind::variable) {
            axes = axes | axes_of(*term.atom.operand, dependence);
        } else if (const auto known = dependence.find(term.atom.variable.slot);
                   known != dependence.end()) {
            axes = axes | known->second;
        }
    }
    return axes;
}

void collect(const std::vector<NestStatement>& body, Dependence& dependence,
             std::vector<Axes>& inputs)
{
    for (const NestStatement& statement : body) {
        if (const auto* index = std::get_if<NestIndex>(&statement)) {
            dependence[index->variable.slot] = axes_of(index->definition, dependence);
        } else if (const auto* read = std::get_if<NestRead>(&statement)) {
            Axes& axes = inputs[static_cast<std::size_t>(read->access.image)];
            axes = axes | axes_of(read->access.x, dependence) | axes_of(read->access.y, dependence);
        } else if (const auto* loop = std::get_if<NestLoop>(&statement)) {
            collect(loop->body, dependence, inputs);
        }
    }
}

} // namespace

std::vector<std::array<bool, 3>> tile_dependence(const LoopNest& nest)
{
    Dependence dependence;
    for (const LoopNest::Named& named : nest.names) {
        Axes axes = axes_of(named.definition, dependence);
        // The first three names of a nest are the numbers of the work-item's tile along x, y and z.
        const int axis = named.variable.slot - LoopNest::first_named_slot;
        if (axis < 3) {
            axes[static_cast<std::size_t>(axis)] = true; // tile_x, tile_y, tile_z
        }
        if (named.variable.slot == LoopNest::item_slot) {
            axes = {true, true, true};
        }
        dependence[named.variable.slot] = axes;
    }
    std::vector<Axes> inputs(nest.inputs.size(), Axes{});
    collect(nest.body, dependence, inputs);
    collect(nest.epilogue, dependence, inputs);
    return inputs;
}

} // namespace texelscope::codegen
