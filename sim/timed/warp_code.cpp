#include "sim/timed/warp_code.hpp"

#include "sim/timed/spill_code.hpp"
#include "sim/timed/store_sectors.hpp"
#include "traces/launch.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

namespace texelscope::sim {

/// Writes the steps of a WarpCode, the way a compiler would: it unrolls short loops (write_out()),
/// joins iterations (iterations_together()), and orders reads and work of straight-line code
/// (straight()).
class CodeWriter {
public:
    CodeWriter(WarpCode& code, const SimulationOptions& options, StoreSectors* stores)
        : code_(code), options_(options), stores_(stores)
    {
        for (std::size_t i = 0; i < most_slots * probes; ++i) {
            constexpr std::uint64_t most = 1 << 20;
            values_[i % probes].push_back(static_cast<std::int64_t>(mixed(i + 1) % most));
        }
    }

    void write_launch(const Launch& launch)
    {
        if (const double operations = operations_of(launch.body); operations > 0) {
            spills_ = spill_accesses(launch, options_) / operations;
        }
        body(launch.body);
        end();
    }
    /// Reads and work in turn, as long as there are reads.
    void write_trace()
    {
        const int under_way = options_.machine.instructions.reads_in_flight - 1;
        if (options_.kernel.alu_cycles_per_step == 0) {
            read(under_way);
        } else {
            read();
            WarpCode::Step work;
            work.under_way = under_way;
            work.cycles = options_.kernel.alu_cycles_per_step;
            add(work);
        }
        loop_back(0, std::numeric_limits<std::int64_t>::max());
        end();
    }

private:
    /// A read or work of straight-line code, in one iteration of the unrolled loops around it.
    struct Placed {
        const Statement* statement;
        /// Of a read: a hash that is equal for two reads of the same texel by any work-item.
        std::uint64_t texel;
    };
    using Run = std::vector<Placed>;

    /// Writes the statements of a body: stretches without loops as a run each.
    void body(const std::vector<Statement>& statements)
    {
        Run run;
        for (const Statement& statement : statements) {
            const auto* loop = std::get_if<Loop>(&statement);
            if (loop == nullptr) {
                run.push_back(placed(statement));
            } else if (written_out(*loop)) {
                write_out(*loop, loop->extent(), run);
            } else {
                straight(run);
                run.clear();
                write(*loop);
            }
        }
        straight(run);
    }

    /// Number of reads and operations of a body after all of its loops are unrolled; nullopt where
    /// one of them stays a loop.
    [[nodiscard]] std::optional<double> size(const std::vector<Statement>& statements) const
    {
        double sum = 0;
        for (const Statement& statement : statements) {
            if (const auto* loop = std::get_if<Loop>(&statement)) {
                const std::optional<double> inner = size(loop->body);
                if (!inner || !fits(*loop, *inner)) {
                    return std::nullopt;
                }
                sum += *inner * static_cast<double>(loop->extent());
            } else if (const auto* work = std::get_if<Work>(&statement)) {
                sum += work->operations +
                       options_.machine.instructions.exponential * work->exponentials;
            } else {
                sum += 1;
            }
        }
        return sum;
    }
    /// Whether the compiler unrolls a loop whose body has the size `body`.
    [[nodiscard]] bool fits(const Loop& loop, double body) const
    {
        return loop.extent() <= options_.machine.instructions.unroll_iterations &&
               body * static_cast<double>(loop.extent()) <=
                   options_.machine.instructions.unroll_size;
    }
    [[nodiscard]] bool written_out(const Loop& loop) const
    {
        const std::optional<double> body = size(loop.body);
        return body && fits(loop, *body);
    }

    /// Appends `iterations` iterations of a loop to the run, one behind the other. These are all
    /// iterations of the loop, or some of them, of which the first one may be any.
    void write_out(const Loop& loop, std::int64_t iterations, Run& run)
    {
        const auto slot = static_cast<std::size_t>(loop.variable.slot);
        std::array<std::int64_t, probes> outside{};
        for (std::size_t probe = 0; probe < probes; ++probe) {
            outside[probe] = values_[probe].at(slot);
        }
        ++written_out_;
        for (std::int64_t i = 0; i < iterations; ++i) {
            // Where only some iterations are joined, each probe begins at another one, so that
            // reads count as the same only where they are so wherever the iterations begin.
            for (std::size_t probe = 0; probe < probes; ++probe) {
                const std::int64_t first =
                    iterations == loop.extent() ? 0 : static_cast<std::int64_t>(probe) * iterations;
                values_[probe][slot] = first + i;
            }
            for (const Statement& statement : loop.body) {
                if (const auto* inner = std::get_if<Loop>(&statement)) {
                    write_out(*inner, inner->extent(), run);
                } else {
                    run.push_back(placed(statement));
                }
            }
        }
        --written_out_;
        for (std::size_t probe = 0; probe < probes; ++probe) {
            values_[probe][slot] = outside[probe];
        }
    }

    /// Writes a loop that stays a loop, with some of its iterations joined, and what is left over.
    void write(const Loop& loop)
    {
        const std::int64_t joined = iterations_together(loop);
        if (loop.extent() / joined > 0) {
            ++depth_;
            const std::size_t first = code_.steps_.size();
            iterations(loop, joined);
            --depth_;
            loop_back(first, loop.extent() / joined);
        }
        if (loop.extent() % joined > 0) {
            iterations(loop, loop.extent() % joined);
        }
    }
    void iterations(const Loop& loop, std::int64_t count)
    {
        if (count == 1) {
            body(loop.body);
            return;
        }
        Run run;
        write_out(loop, count, run);
        straight(run);
    }
    /// How many iterations of an innermost loop are joined to keep enough reads under way.
    [[nodiscard]] std::int64_t iterations_together(const Loop& loop) const
    {
        const std::int64_t reads = reads_per_item(loop.body);
        const bool stores = std::ranges::any_of(loop.body, [](const Statement& statement) {
            const auto* work = std::get_if<Work>(&statement);
            return work != nullptr && work->stored.value > 0;
        });
        constexpr std::int64_t most = 4;
        return reads == 0 || stores || !size(loop.body)
                   ? 1
                   : std::clamp<std::int64_t>(options_.machine.instructions.reads_in_flight / reads,
                                              1, std::clamp<std::int64_t>(loop.extent(), 1, most));
    }

    [[nodiscard]] static std::uint64_t mixed(std::uint64_t x) // splitmix64
    {
        x += 0x9E3779B97F4A7C15U;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
        return x ^ (x >> 31);
    }
    Placed placed(const Statement& statement)
    {
        const auto* const access = std::get_if<AccessFunction>(&statement);
        if (access == nullptr) {
            return {&statement, 0};
        }
        // Outside of unrolled loops, a body rarely reads the same texel twice: every read gets a
        // number of its own.
        if (written_out_ == 0) {
            return {&statement, mixed(++alone_)};
        }
        // Else the hash is over the coordinates at random values of all variables (values_).
        std::uint64_t texel = mixed(static_cast<std::uint64_t>(access->image));
        for (const std::vector<std::int64_t>& values : values_) {
            for (const IndexExpr* coordinate : {&access->x, &access->y}) {
                texel = mixed(texel + static_cast<std::uint64_t>(coordinate->evaluate(values)));
            }
        }
        return {&statement, texel};
    }

    /// Writes straight-line code: reads ahead of the work that needs them, and work joined to one
    /// step as long as it waits for nothing more.
    void straight(const Run& run)
    {
        // The reads in program order. `made` counts the reads that are made: the number of this
        // one, or of the earlier read that has the same texel.
        struct Read {
            std::int64_t made = 0;
            bool is_new = false;
        };
        std::vector<Read> reads;
        std::unordered_map<std::uint64_t, std::int64_t> known;
        for (const Placed& placed : run) {
            if (std::holds_alternative<AccessFunction>(*placed.statement)) {
                const auto [found, is_new] = known.try_emplace(placed.texel, std::ssize(known));
                reads.push_back({found->second, is_new});
            }
        }
        std::int64_t met = 0;     // reads that the program has come to
        std::int64_t written = 0; // reads that have their step, `read` or `skip`
        std::int64_t issued = 0;  // reads that have a step `read`
        // Writes steps until `until` reads are issued.
        const auto issue = [&](std::int64_t until) {
            for (; written < std::ssize(reads) &&
                   (issued < until || !reads[static_cast<std::size_t>(written)].is_new);
                 ++written) {
                const bool is_new = reads[static_cast<std::size_t>(written)].is_new;
                issued += is_new ? 1 : 0;
                is_new ? read() : skip();
            }
        };
        std::optional<WarpCode::Step> work; // work that is collected, not written yet
        const auto flush = [&] {
            if (work) {
                add(*work);
            }
            work.reset();
        };
        for (const Placed& placed : run) {
            if (std::holds_alternative<AccessFunction>(*placed.statement)) {
                ++met;
                continue;
            }
            const Work& next = std::get<Work>(*placed.statement);
            int under_way = WarpCode::Step::any;
            if (next.reads_since >= 0) {
                // A negative number is a read from before this run: all reads of this run may be
                // under way.
                const std::int64_t read = met - 1 - next.reads_since;
                const std::int64_t needed =
                    read >= 0 ? reads[static_cast<std::size_t>(read)].made : -1;
                if (needed >= issued) {
                    flush();
                    issue(std::max(issued + options_.machine.instructions.reads_in_flight,
                                   needed + 1));
                }
                under_way = static_cast<int>(issued - 1 - needed);
            }
            if (work && (next.barrier || under_way < work->under_way)) {
                flush();
            }
            WarpCode::Step step = work_step(next);
            step.under_way = under_way;
            if (work) { // the work collected so far has already waited for what this work needs
                work->cycles += step.cycles;
                work->gap += step.gap;
                work->operations += step.operations;
                work->stored += step.stored;
                work->store_port += step.store_port;
                work->spilled += step.spilled;
                work->local += step.local;
            } else {
                work = step;
            }
        }
        flush();
        issue(std::ssize(reads));
    }

    /// StoreSectors of each piece of work, found out once: loops that are written out repeat it.
    [[nodiscard]] double port_bytes(const Work& work)
    {
        if (work.stored.value == 0 || stores_ == nullptr) {
            return 0;
        }
        const auto [known, is_new] = port_bytes_.try_emplace(&work, 0.0);
        if (is_new) {
            known->second = stores_->port_bytes(work);
        }
        return known->second;
    }

    [[nodiscard]] WarpCode::Step work_step(const Work& work)
    {
        const Instructions& instructions = options_.machine.instructions;
        WarpCode::Step step;
        step.barrier = work.barrier;
        step.cycles =
            issue_cycles(options_.machine, options_.kernel.operation * work.operations +
                                               instructions.exponential * work.exponentials +
                                               (work.stored.value > 0 ? instructions.store : 0) +
                                               spills_ * work.operations);
        step.gap = step.cycles * instructions.gap;
        step.operations = work.operations;
        step.stored = static_cast<double>(work.stored.value) * options_.machine.warp_size;
        step.store_port = port_bytes(work);
        step.spilled = bytes_of_word * spills_ * work.operations * options_.machine.warp_size;
        step.local = static_cast<double>(work.local.value) * options_.machine.warp_size;
        return step;
    }

    void read(int under_way = WarpCode::Step::any)
    {
        WarpCode::Step step;
        step.kind = WarpCode::Kind::read;
        step.under_way = under_way;
        step.cycles =
            std::max(1.0, issue_cycles(options_.machine, options_.machine.instructions.read));
        step.gap = step.cycles * options_.machine.instructions.gap;
        add(step);
    }
    void skip()
    {
        WarpCode::Step step;
        step.kind = WarpCode::Kind::skip;
        add(step);
    }
    void loop_back(std::size_t first, std::int64_t times)
    {
        if (times > 1 && code_.steps_.size() > first) {
            WarpCode::Step step;
            step.kind = WarpCode::Kind::loop;
            step.times = times;
            step.target = first;
            step.depth = depth_;
            add(step);
            code_.loops_ = std::max(code_.loops_, depth_ + 1);
        }
    }
    void end()
    {
        WarpCode::Step step;
        step.kind = WarpCode::Kind::end;
        step.under_way = 0;
        add(step);
    }
    void add(const WarpCode::Step& step)
    {
        if (step.under_way != WarpCode::Step::any) {
            code_.most_under_way_ = std::max(code_.most_under_way_, step.under_way);
        }
        code_.steps_.push_back(step);
    }

    WarpCode& code_;
    const SimulationOptions& options_;
    int depth_ = 0;           ///< loops around what is written that stay loops
    int written_out_ = 0;     ///< loops around what is written that are unrolled
    std::uint64_t alone_ = 0; ///< reads so far that are not compared with others
    static constexpr double bytes_of_word = 4;
    StoreSectors* stores_; ///< may be null
    std::unordered_map<const Work*, double> port_bytes_;
    double spills_ = 0; ///< words that a work-item stores or loads per operation (SpillRule::body)
    static constexpr std::size_t probes = 12;
    /// Slots of a launch: ids of work-groups and work-items, and its loop variables. launch_of()
    /// has put their expressions in the place of all other variables.
    static constexpr std::size_t most_slots = 64;
    /// By probe and slot: random values of work-item ids and loop variables. Two expressions that
    /// have the same value at every probe are taken to be equal.
    std::array<std::vector<std::int64_t>, probes> values_;
};

namespace {

bool has_work(const std::vector<Statement>& body)
{
    return std::ranges::any_of(body, [](const Statement& statement) {
        const auto* loop = std::get_if<Loop>(&statement);
        return std::holds_alternative<Work>(statement) || (loop != nullptr && has_work(loop->body));
    });
}

} // namespace

WarpCode::WarpCode(const Launch* launch, const SimulationOptions& options, StoreSectors* stores)
{
    CodeWriter writer(*this, options, stores);
    if (launch != nullptr && options.kernel.alu_cycles_per_step == 0 && has_work(launch->body)) {
        writer.write_launch(*launch);
    } else {
        of_trace_ = true;
        writer.write_trace();
    }
}

WarpCode::Totals WarpCode::totals() const
{
    // How often each step runs: the product of the iterations of all loops around it.
    std::vector<double> times(steps_.size(), 1);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (steps_[i].kind == Kind::loop) {
            for (std::size_t inside = steps_[i].target; inside < i; ++inside) {
                times[inside] *= static_cast<double>(steps_[i].times);
            }
        }
    }
    Totals totals;
    bool reads_follow = false; // there was a read since the last wait
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Step& step = steps_[i];
        totals.reads += step.kind == Kind::read ? times[i] : 0;
        totals.skipped += step.kind == Kind::skip ? times[i] : 0;
        if (step.under_way != Step::any && reads_follow) {
            totals.waits += times[i];
            reads_follow = false;
        }
        reads_follow |= step.kind == Kind::read;
        totals.cycles += times[i] * step.cycles;
        totals.alone += times[i] * std::max(step.cycles, step.gap);
        totals.operations += times[i] * step.operations;
        totals.stored += times[i] * step.stored;
        totals.spilled += times[i] * step.spilled;
        totals.local += times[i] * step.local;
    }
    // The code of a trace always has most_under_way_ + 1 reads under way, so each latency is shared
    // by that many reads.
    if (of_trace_) {
        totals.waits = totals.reads / (most_under_way_ + 1);
    }
    return totals;
}

} // namespace texelscope::sim
