#include "codegen/address_elimination.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace texelscope {
namespace {

bool is_trivial(const IndexExpr& e)
{
    return e.terms().empty() || e.as_variable() != nullptr;
}

/// Whether every variable of an expression is not in `hidden`.
bool can_calculate(const IndexExpr& e, const std::vector<int>& hidden);

bool can_calculate(const IndexAtom& atom, const std::vector<int>& hidden)
{
    return atom.kind == IndexAtom::Kind::variable
               ? std::find(hidden.begin(), hidden.end(), atom.variable.slot) == hidden.end()
               : can_calculate(*atom.operand, hidden);
}

bool can_calculate(const IndexExpr& e, const std::vector<int>& hidden)
{
    return std::all_of(e.terms().begin(), e.terms().end(),
                       [&](const IndexTerm& term) { return can_calculate(term.atom, hidden); });
}

/// Calls `visit(expression, depth)` for every coordinate of a body, `depth` loops inside of it.
template <class Body, class Visit>
void for_each_coordinate(Body& body, const Visit& visit, int depth = 0)
{
    for (auto& statement : body) {
        if (auto* read = std::get_if<NestRead>(&statement)) {
            visit(read->access.x, depth);
            visit(read->access.y, depth);
        } else if (auto* write = std::get_if<NestWrite>(&statement)) {
            visit(write->x, depth);
            visit(write->y, depth);
        } else if (auto* loop = std::get_if<NestLoop>(&statement)) {
            for_each_coordinate(loop->body, visit, depth + 1);
        }
    }
}

void collect_loop_variables(const std::vector<NestStatement>& body, std::vector<int>& slots)
{
    for (const NestStatement& statement : body) {
        if (const auto* loop = std::get_if<NestLoop>(&statement)) {
            slots.push_back(loop->variable.slot);
            collect_loop_variables(loop->body, slots);
        }
    }
}

class Elimination {
public:
    explicit Elimination(LoopNest& nest) : nest_(nest) {}

    void run()
    {
        eliminate(nest_.body);
        eliminate(nest_.epilogue);
    }

private:
    /// A part that a scope can calculate, and where it occurs.
    struct Part {
        IndexExpr expression;
        int uses = 0;
        bool in_loop = false;
        IndexExpr name; ///< the variable, once it has one; else the part itself
    };

    static Part& part_of(std::vector<Part>& parts, const IndexExpr& e)
    {
        const auto found =
            std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.expression == e; });
        return found != parts.end() ? *found : parts.emplace_back(Part{e, 0, false, e});
    }

    /// Divisions and remainders that a scope can calculate, those inside of others first.
    static void count_atoms(const IndexExpr& e, const std::vector<int>& hidden, bool in_loop, std::vector<Part>& atoms)
    {
        for (const IndexTerm& term : e.terms()) {
            if (term.atom.kind == IndexAtom::Kind::variable) {
                continue;
            }
            count_atoms(*term.atom.operand, hidden, in_loop, atoms);
            if (can_calculate(term.atom, hidden)) {
                Part& part = part_of(atoms, term.atom.expr());
                ++part.uses;
                part.in_loop = part.in_loop || in_loop;
            }
        }
    }

    /// The expression with every named part in the place of the atom that it stands for.
    static IndexExpr with_names(const IndexExpr& e, const std::vector<Part>& atoms)
    {
        IndexExpr result(e.constant());
        for (const IndexTerm& term : e.terms()) {
            const IndexExpr atom = term.atom.expr();
            if (term.atom.kind == IndexAtom::Kind::variable) {
                result = result + atom * term.factor;
                continue;
            }
            const auto named =
                std::find_if(atoms.begin(), atoms.end(), [&](const Part& part) { return part.expression == atom; });
            if (named != atoms.end() && !(named->name == named->expression)) {
                result = result + named->name * term.factor;
                continue;
            }
            result = result + term.atom.over(with_names(*term.atom.operand, atoms)) * term.factor;
        }
        return result;
    }

    void eliminate(std::vector<NestStatement>& body)
    {
        std::vector<int> hidden;
        collect_loop_variables(body, hidden);
        std::vector<NestStatement> declared;
        const auto name = [&](Part& part, const IndexExpr& definition) {
            const Variable variable{next_slot_, fmt::format("at{}", next_slot_ - LoopNest::first_index_slot),
                                    definition.bounds()};
            ++next_slot_;
            declared.emplace_back(NestIndex{variable, definition});
            part.name = IndexExpr(variable);
        };

        std::vector<Part> atoms;
        for_each_coordinate(body, [&](const IndexExpr& e, int depth) { count_atoms(e, hidden, depth > 0, atoms); });
        bool any = false;
        for (Part& atom : atoms) {
            if (atom.uses > 1) {
                name(atom, with_names_inside(atom.expression, atoms));
                any = true;
            }
        }
        if (any) {
            for_each_coordinate(body, [&](IndexExpr& e, int) { e = with_names(e, atoms); });
        }

        std::vector<Part> parts;
        std::vector<IndexExpr::Split> splits; // of all coordinates, in order
        for_each_coordinate(body, [&](const IndexExpr& e, int depth) {
            splits.push_back(e.split([&](const IndexAtom& atom) { return can_calculate(atom, hidden); }));
            if (const IndexExpr& inside = splits.back().inside; !is_trivial(inside)) {
                Part& part = part_of(parts, inside);
                ++part.uses;
                part.in_loop = part.in_loop || depth > 0;
            }
        });
        any = false;
        for (Part& part : parts) {
            if (part.in_loop || part.uses > 1) {
                name(part, part.expression);
                any = true;
            }
        }
        if (any) {
            auto next = splits.begin();
            for_each_coordinate(body, [&](IndexExpr& e, int) {
                const auto& [inside, rest] = *next++;
                if (!is_trivial(inside)) {
                    e = part_of(parts, inside).name + rest;
                }
            });
        }
        for (NestStatement& statement : body) {
            if (auto* loop = std::get_if<NestLoop>(&statement)) {
                eliminate(loop->body);
            }
        }
        body.insert(body.begin(), std::make_move_iterator(declared.begin()), std::make_move_iterator(declared.end()));
    }

    /// An atom whose operand uses the names of other atoms; it itself stays an atom.
    static IndexExpr with_names_inside(const IndexExpr& atom, const std::vector<Part>& atoms)
    {
        const IndexAtom& own = atom.terms()[0].atom;
        return own.over(with_names(*own.operand, atoms));
    }

    LoopNest& nest_;
    int next_slot_ = LoopNest::first_index_slot;
};

/// Operations that the text of an expression has.
std::int64_t operations(const IndexExpr& e)
{
    std::int64_t count = 0;
    for (const IndexTerm& term : e.terms()) {
        count += term.factor != 1 && term.factor != -1 ? 1 : 0;
        if (term.atom.kind != IndexAtom::Kind::variable) {
            count += 1 + operations(*term.atom.operand);
        }
    }
    const std::int64_t summands = static_cast<std::int64_t>(e.terms().size()) + (e.constant() != 0 ? 1 : 0);
    return count + std::max<std::int64_t>(0, summands - 1);
}

void count(const std::vector<NestStatement>& body, std::int64_t turns, AddressOperations& sum)
{
    const auto add = [&](const IndexExpr& e) {
        sum.in_text += operations(e);
        sum.executed += turns * operations(e);
    };
    for (const NestStatement& statement : body) {
        if (const auto* read = std::get_if<NestRead>(&statement)) {
            add(read->access.x);
            add(read->access.y);
        } else if (const auto* index = std::get_if<NestIndex>(&statement)) {
            add(index->definition);
        } else if (const auto* write = std::get_if<NestWrite>(&statement)) {
            add(write->x);
            add(write->y);
        } else if (const auto* loop = std::get_if<NestLoop>(&statement)) {
            count(loop->body, turns * (loop->variable.extent()), sum);
        }
    }
}

} // namespace

void eliminate_addresses(LoopNest& nest)
{
    Elimination(nest).run();
}

AddressOperations address_operations(const LoopNest& nest)
{
    AddressOperations sum;
    for (const NestIndex& named : nest.names) {
        sum.in_text += operations(named.definition);
        sum.executed += operations(named.definition);
    }
    count(nest.body, 1, sum);
    count(nest.epilogue, 1, sum);
    return sum;
}

} // namespace texelscope
