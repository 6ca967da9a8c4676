// launch_of(): translates a nest into a launch, which is what the simulator and the model know of a
// kernel.

#include "codegen/nest/arithmetic.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace texelscope::codegen {
namespace {

/// The definitions of a nest's named values and index variables, written in terms of work-item ids
/// and loop variables only.
class Definitions {
public:
    explicit Definitions(const LoopNest& nest)
    {
        for (const LoopNest::Named& named : nest.names) {
            add(named);
        }
    }

    /// Adds a definition. It may use the variables that were added before; these are replaced.
    void add(const NestIndex& index)
    {
        auto& [first, known] = index.variable.slot < LoopNest::first_index_slot ? names_ : indices_;
        const auto place = static_cast<std::size_t>(index.variable.slot - first);
        known.resize(std::max(known.size(), place + 1));
        known[place] = plain(index.definition);
    }

    /// The expression with known variables replaced by their definitions.
    [[nodiscard]] IndexExpr plain(const IndexExpr& expression) const
    {
        return expression.replace([this](const Variable& variable) -> std::optional<IndexExpr> {
            const auto& [first, known] =
                variable.slot < LoopNest::first_index_slot ? names_ : indices_;
            const auto place = static_cast<std::size_t>(variable.slot - first);
            return variable.slot >= first && place < known.size() ? known[place] : std::nullopt;
        });
    }

private:
    struct BySlot {
        int first = 0;
        std::vector<std::optional<IndexExpr>> known; ///< definitions of the slots from `first` on
    };
    BySlot names_{LoopNest::first_named_slot, {}};
    BySlot indices_{LoopNest::first_index_slot, {}};
};

/// Translates the statements of a nest into those of a launch: reads become access functions, all
/// else becomes work between them.
class LaunchStatements {
public:
    LaunchStatements(const LoopNest& nest, Definitions definitions)
        : nest_(nest), images_(launch_images(nest)), definitions_(std::move(definitions)),
          read_as_(nest.values.size(), no_read)
    {}

    void append(const std::vector<NestStatement>& body, std::vector<Statement>& statements)
    {
        for (const NestStatement& statement : body) {
            std::visit([&](const auto& s) { add(s, statements); }, statement);
        }
    }

private:
    static constexpr std::int64_t no_read = -1;

    [[nodiscard]] double numbers(NestValue value) const
    {
        return nest_.values[static_cast<std::size_t>(value)].registers;
    }
    [[nodiscard]] Bytes size(int array) const
    {
        return Bytes{4 * nest_.local_arrays[static_cast<std::size_t>(array)].width};
    }
    /// Makes the work wait for the read that `value` comes from, if it is younger than what the
    /// work waits for already. `reads_since` counts the reads after that one.
    void note_use(Work& work, NestValue value) const
    {
        const std::int64_t read = read_as_[static_cast<std::size_t>(value)];
        const auto since = static_cast<int>(reads_ - read - 1);
        if (read != no_read && (work.reads_since < 0 || since < work.reads_since)) {
            work.reads_since = since;
        }
    }

    void add(const NestRead& read, std::vector<Statement>& statements)
    {
        const AccessFunction& access = read.access;
        const int image = images_[static_cast<std::size_t>(access.image)];
        if (image >= 0) {
            // A wide read becomes one access for each texel, as the hardware loads one texel at a
            // time.
            for (int texel = 0; texel < read.texels; ++texel) {
                statements.emplace_back(AccessFunction{image, definitions_.plain(access.x) + texel,
                                                       definitions_.plain(access.y)});
                read_as_[static_cast<std::size_t>(read.target)] = reads_++;
            }
        }
    }
    void add(const NestIndex& index, std::vector<Statement>& /*none*/) { definitions_.add(index); }
    void add(const NestMultiplyAdd& product, std::vector<Statement>& statements) const
    {
        Work work{.operations = product.dot ? 4 : numbers(product.sum)};
        note_use(work, product.a.value);
        note_use(work, product.b.value);
        statements.emplace_back(work);
    }
    /// The work of a statement. It waits for the youngest of the reads that it uses.
    template <class Statement>
    [[nodiscard]] Work work_of(const Statement& statement, const Arithmetic& arithmetic) const
    {
        Work work{.operations = arithmetic.operations, .exponentials = arithmetic.exponentials};
        for_each_used(statement, [&](NestValue value) { note_use(work, value); });
        return work;
    }
    void add(const NestDeclare& declare, std::vector<Statement>& statements)
    {
        // No instruction joins values: whoever uses the whole waits for the youngest of its parts.
        if (joins_values(declare.value)) {
            std::int64_t& whole = read_as_[static_cast<std::size_t>(declare.target)];
            declare.value.for_each_value([&](NestValue part) {
                whole = std::max(whole, read_as_[static_cast<std::size_t>(part)]);
            });
            return;
        }
        bool constant = true;
        declare.value.for_each_value([&](NestValue) { constant = false; });
        if (!constant) {
            statements.emplace_back(work_of(declare, arithmetic_of(declare.value, nest_)));
        }
    }
    void add(const NestAssign& assign, std::vector<Statement>& statements) const
    {
        statements.emplace_back(work_of(assign, arithmetic_of(assign, nest_)));
    }
    void add(const NestCarry& carry, std::vector<Statement>& statements) const
    {
        constexpr double operations = 2; // one conversion and one addition for each number
        Arithmetic added;
        for (const NestValue sum : carry.sums) {
            added.operations += operations * numbers(sum);
        }
        statements.emplace_back(work_of(carry, added));
    }
    void add(const NestBarrier&, std::vector<Statement>& statements) const
    {
        statements.emplace_back(Work{.barrier = true});
    }
    void add(const NestMeet& meet, std::vector<Statement>& statements) const
    {
        // Numbers that each work-item leaves in local memory, where they are joined.
        double sums = 0;
        for (const NestValue value : meet.values) {
            sums += numbers(value);
        }
        Work work = work_of(meet, {.operations = sums * static_cast<double>(meet.parts - 1)});
        work.local = Bytes{static_cast<std::int64_t>(4 * sums) * meet.parts};
        work.barrier = true;
        statements.emplace_back(work);
    }
    void add(const NestText&, std::vector<Statement>& /*unknown*/) const {}
    void add(const NestWrite& write, std::vector<Statement>& statements) const
    {
        for (const Guard& guard : write.guards) {
            if (guard.value.bounds().min >= guard.bound) {
                return; // the guard never holds, so nothing is written
            }
        }
        Work work = work_of(write, arithmetic_of(write.value, nest_));
        work.stored = nest_.output.image.bytes_per_texel;
        Store& store =
            work.store.emplace(Store{definitions_.plain(write.x), definitions_.plain(write.y), {}});
        for (const Guard& guard : write.guards) {
            store.guards.push_back({definitions_.plain(guard.value), guard.bound});
        }
        statements.emplace_back(work);
    }
    void add(const NestLocalRead& read, std::vector<Statement>& statements) const
    {
        statements.emplace_back(Work{.local = size(read.array)});
    }
    void add(const NestLocalWrite& write, std::vector<Statement>& statements) const
    {
        Work work{.local = size(write.array)};
        note_use(work, write.value);
        statements.emplace_back(work);
    }
    void add(const NestLoop& loop, std::vector<Statement>& statements)
    {
        Loop inner{loop.variable, {}};
        append(loop.body, inner.body);
        if (!inner.body.empty()) {
            statements.emplace_back(std::move(inner));
        }
    }

    const LoopNest& nest_;
    std::vector<int> images_;
    Definitions definitions_; ///< definitions of the statements translated so far
    /// For each value, the number of the read that it comes from.
    std::vector<std::int64_t> read_as_;
    std::int64_t reads_ = 0; ///< reads translated so far
};

} // namespace

Launch launch_of(const LoopNest& nest)
{
    Launch launch;
    launch.kernel = nest.name;
    for (const Operand& input : nest.inputs) {
        if (input.memory == Memory::image) {
            launch.images.push_back(input.image);
        }
    }
    launch.output = nest.output.image;
    launch.output->buffer = nest.output.memory == Memory::buffer;
    launch.groups = nest.groups;
    launch.local = nest.local;
    const Definitions definitions(nest);
    for (const Guard& guard : nest.guards) {
        launch.guards.push_back({definitions.plain(guard.value), guard.bound});
    }
    LaunchStatements statements(nest, definitions);
    statements.append(nest.prologue, launch.body);
    statements.append(nest.body, launch.body);
    statements.append(nest.epilogue, launch.body);
    return launch;
}

} // namespace texelscope::codegen
