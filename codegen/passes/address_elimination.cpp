#include "codegen/passes/address_elimination.hpp"

#include "codegen/nest/loop_nest.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace texelscope::codegen {
namespace {

// A constant or a single variable costs nothing to calculate where it is used.
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
        } else if (auto* local_read = std::get_if<NestLocalRead>(&statement)) {
            visit(local_read->at, depth);
        } else if (auto* local_write = std::get_if<NestLocalWrite>(&statement)) {
            visit(local_write->at, depth);
        } else if (auto* loop = std::get_if<NestLoop>(&statement)) {
            for_each_coordinate(loop->body, visit, depth + 1);
        }
    }
}

// Variables of loops inside of the scope have no value there yet: the scope cannot calculate them.
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
    /// Numbers expressions in the order in which they are met first.
    class Numbers {
    public:
        /// The number, and whether the expression is new.
        std::pair<std::size_t, bool> add(const IndexExpr& e)
        {
            const auto [at, added] = number_.try_emplace(e, number_.size());
            return {at->second, added};
        }
        [[nodiscard]] std::optional<std::size_t> find(const IndexExpr& e) const
        {
            const auto at = number_.find(e);
            return at == number_.end() ? std::nullopt : std::optional(at->second);
        }

    private:
        struct Hash {
            std::size_t operator()(const IndexExpr& e) const { return e.hash(); }
        };
        std::unordered_map<IndexExpr, std::size_t, Hash> number_;
    };

    /// What coordinates are but for their constants: those of a tile differ in constants alone,
    /// most of them.
    struct Form {
        IndexExpr terms; ///< what names make of them in the end
        int uses = 0;
        bool in_loop = false;
        bool changed = false; ///< whether names made something of them
        /// Number of the part that the scope can calculate, if it is worth a name.
        std::optional<std::size_t> inside = {};
        IndexExpr rest = {}; ///< the other terms, where it is
    };

    /// A part that a scope can calculate, and where it occurs.
    struct Part {
        IndexExpr expression;
        int uses = 0;
        bool in_loop = false;
        std::optional<IndexExpr> name; ///< the variable, where it has one
    };
    struct Parts {
        Numbers numbers;
        std::vector<Part> parts;

        std::size_t add(const IndexExpr& e, const Form& from)
        {
            const auto [number, added] = numbers.add(e);
            if (added) {
                parts.push_back({e, 0, false, {}});
            }
            parts[number].uses += from.uses;
            parts[number].in_loop = parts[number].in_loop || from.in_loop;
            return number;
        }
    };

    /// Divisions and remainders that a scope can calculate, those inside of others first.
    static void add_atoms(const IndexExpr& e, const std::vector<int>& hidden, const Form& from,
                          Parts& atoms)
    {
        for (const IndexTerm& term : e.terms()) {
            if (term.atom.kind == IndexAtom::Kind::variable) {
                continue;
            }
            add_atoms(*term.atom.operand, hidden, from, atoms);
            if (can_calculate(term.atom, hidden)) {
                atoms.add(term.atom.expr(), from);
            }
        }
    }

    /// The expression with every named part in the place of the atom that it stands for.
    static IndexExpr with_names(const IndexExpr& e, const Parts& atoms)
    {
        IndexExpr result(e.constant());
        for (const IndexTerm& term : e.terms()) {
            const IndexExpr atom = term.atom.expr();
            if (term.atom.kind == IndexAtom::Kind::variable) {
                result = result + atom * term.factor;
                continue;
            }
            const auto number = atoms.numbers.find(atom);
            if (number && atoms.parts[*number].name) {
                result = result + *atoms.parts[*number].name * term.factor;
                continue;
            }
            result = result + term.atom.over(with_names(*term.atom.operand, atoms)) * term.factor;
        }
        return result;
    }

    // For one scope, then for the loops in it:
    //   1. Coordinates are grouped by their terms without the constant (forms), since those of a
    //   tile
    //      mostly differ in the constant alone.
    //   2. Divisions and remainders that are used twice get names.
    //   3. The part of each form that the scope can calculate gets a name, where a loop uses it or
    //   two
    //      coordinates share it.
    //   4. The coordinates are rewritten, and the names declared in front of the body.
    void eliminate(std::vector<NestStatement>& body)
    {
        std::vector<int> hidden;
        collect_loop_variables(body, hidden);
        std::vector<NestStatement> declared;
        const auto name = [&](Part& part, const IndexExpr& definition) {
            const Variable variable{next_slot_,
                                    "at" + std::to_string(next_slot_ - LoopNest::first_index_slot),
                                    definition.bounds()};
            ++next_slot_;
            declared.emplace_back(NestIndex{variable, definition});
            part.name = IndexExpr(variable);
        };

        Numbers numbers;
        std::vector<Form> forms;
        std::vector<std::size_t> form_of; // each coordinate, in order
        for_each_coordinate(body, [&](const IndexExpr& e, int depth) {
            const IndexExpr terms = e + -e.constant();
            const auto [number, added] = numbers.add(terms);
            if (added) {
                forms.push_back({terms});
            }
            ++forms[number].uses;
            forms[number].in_loop = forms[number].in_loop || depth > 0;
            form_of.push_back(number);
        });

        Parts atoms;
        for (const Form& form : forms) {
            add_atoms(form.terms, hidden, form, atoms);
        }
        // Inner atoms were added first, so their names are known when an outer one is defined.
        for (Part& atom : atoms.parts) {
            if (atom.uses > 1) {
                name(atom, with_names_inside(atom.expression, atoms));
            }
        }
        if (!declared.empty()) {
            for (Form& form : forms) {
                form.terms = with_names(form.terms, atoms);
                form.changed = true;
            }
        }

        Parts insides;
        for (Form& form : forms) {
            const auto [inside, rest] =
                form.terms.split([&](const IndexAtom& a) { return can_calculate(a, hidden); });
            if (!is_trivial(inside)) {
                form.inside = insides.add(inside, form);
                form.rest = rest;
            }
        }
        for (Part& part : insides.parts) {
            if (part.in_loop || part.uses > 1) {
                name(part, part.expression);
            }
        }
        if (!declared.empty()) {
            for (Form& form : forms) {
                if (form.inside && insides.parts[*form.inside].name) {
                    form.terms = *insides.parts[*form.inside].name + form.rest;
                    form.changed = true;
                }
            }
            // In the same order as above, so form_of says which form each coordinate has.
            auto number = form_of.begin();
            for_each_coordinate(body, [&](IndexExpr& e, int) {
                if (const Form& form = forms[*number++]; form.changed) {
                    e = form.terms + e.constant();
                }
            });
        }
        for (NestStatement& statement : body) {
            if (auto* loop = std::get_if<NestLoop>(&statement)) {
                eliminate(loop->body);
            }
        }
        body.insert(body.begin(), std::make_move_iterator(declared.begin()),
                    std::make_move_iterator(declared.end()));
    }

    /// An atom whose operand uses the names of other atoms; it itself stays an atom.
    static IndexExpr with_names_inside(const IndexExpr& atom, const Parts& atoms)
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
    const std::int64_t summands =
        static_cast<std::int64_t>(e.terms().size()) + (e.constant() != 0 ? 1 : 0);
    return count + std::max<std::int64_t>(0, summands - 1);
}

void count(const std::vector<NestStatement>& body, std::int64_t iterations, AddressOperations& sum)
{
    const auto add = [&](const IndexExpr& e) {
        sum.in_text += operations(e);
        sum.executed += iterations * operations(e);
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
        } else if (const auto* local_read = std::get_if<NestLocalRead>(&statement)) {
            add(local_read->at);
        } else if (const auto* local_write = std::get_if<NestLocalWrite>(&statement)) {
            add(local_write->at);
        } else if (const auto* loop = std::get_if<NestLoop>(&statement)) {
            count(loop->body, iterations * (loop->variable.extent()), sum);
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

} // namespace texelscope::codegen
