// The one table behind `--set`, the settings of a result and the keys of a device profile. Where
// the options have no value (not known, not limiting, off, all), these texts say 0.

#include "sim/options/settings.hpp"

#include "base/text.hpp"
#include "sim/options/options.hpp"
#include "sim/options/setting_table.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace texelscope::sim {
namespace {

using Table = SettingTable<SimulationOptions>;
using Entry = SettingEntry<SimulationOptions>;

/// `level`: from the options to a reference to it.
template <class Level>
void add_cache(Table& table, const std::string& name, const std::string& capacity, Level level)
{
    constexpr auto cache = &CacheLevel::geometry;
    table.number({name + ".capacity", "B", capacity}, level, cache, &CacheGeometry::capacity,
                 &Bytes::value);
    table.number({name + ".line", "B", "line size"}, level, cache, &CacheGeometry::line,
                 &Bytes::value);
    table.number({name + ".ways", "", "lines of a set; 0 = fully associative"}, level, cache,
                 &CacheGeometry::ways);
    table.entries.push_back(
        {{name + ".replacement", "", replacement_names()},
         [=](const SimulationOptions& o) { return to_string(at(o, level, cache).replacement); },
         [=](SimulationOptions& o, const std::string& text) {
             at(o, level, cache).replacement = parse_replacement(text);
         }});
    table.number(
        {name + ".sector", "B", "part of a line that is fetched on its own; 0 = the whole line"},
        level, cache, &CacheGeometry::sector, &Bytes::value);
    table.word<SetIndex>({name + ".index", "", "how a line selects its set: modulo or xor"},
                         {{"modulo", SetIndex::modulo}, {"xor", SetIndex::xor_folded}}, level,
                         cache, &CacheGeometry::index);
    table.number({name + ".seed", "", "seed of the random replacement"}, level, cache,
                 &CacheGeometry::seed);
}

/// Not of L1, whose lookups the texture unit serves.
template <class Level>
void add_banks(Table& table, const std::string& name, Level level)
{
    table.number_or_0(
        {name + ".banks", "",
         "lines are dealt out to so many, each with a share of the bandwidth; 0 = one for all"},
        level, &CacheLevel::banks);
}

std::vector<Entry> make_setting_table()
{
    using O = SimulationOptions;
    using M = Machine;
    using K = KernelDemand;
    using R = RunMode;
    using T = Timing;
    using B = BufferReads;
    using S = Stores;
    using I = Instructions;
    Table table;
    table.number({"cores", "", "shader cores"}, &O::machine, &M::cores);
    table.number_or_0({"cores.simulated", "",
                       "timed mode: the first so many, with their share of the bandwidth that all "
                       "share; 0 = all"},
                      &O::mode, &R::simulated_cores);
    table.number({"warp.size", "", "work-items of a warp"}, &O::machine, &M::warp_size);
    table.number_or_0({"warp.double", "",
                       "warps are of twice the size where a work-item takes at most so many "
                       "registers; 0 = never"},
                      &O::machine, &M::double_warp_registers);
    table.number({"warp.limit", "", "most warps resident on a core"}, &O::machine,
                 &M::warps_per_core);
    table.number_or_0(
        {"groups.limit", "",
         "most work-groups resident on a core (schedule.groups=whole); 0 = not limiting"},
        &O::machine, &M::groups_per_core);
    table.number_or_0({"registers.per_core", "", "32-bit registers of a core; 0 = not limiting"},
                      &O::machine, &M::registers_per_core);
    table.word<RegisterRule>(
        {"registers.rule", "",
         "pool: a work-item takes what its kernel needs; 32-or-64: 64 above 32, the rest spills"},
        {{"pool", RegisterRule::pool}, {"32-or-64", RegisterRule::half_above}}, &O::machine,
        &M::register_rule);
    table.number({"registers.step", "", "32-bit registers that a work-item takes at a time (pool)"},
                 &O::machine, &M::register_step);
    table.number(
        {"registers.partitions", "", "of a core, each with a share of its registers and warps"},
        &O::machine, &M::register_partitions);
    table.number_or_0(
        {"registers.per_item", "", "32-bit registers of a work-item; 0 = not limiting"}, &O::kernel,
        &K::registers_per_item);
    table.number(
        {"registers.spilled", "",
         "32-bit registers of a work-item that the kernel keeps in memory for want of room"},
        &O::kernel, &K::spilled_registers);
    table.number_or_0({"registers.spill_accesses", "",
                       "words that a work-item stores and loads for them, as its compiler tells; 0 "
                       "= by the rule"},
                      &O::kernel, &K::spill_accesses);
    table.word<SpillRule>({"registers.spills", "",
                           "cost of them: operand, a share of all operands; body, once each time "
                           "through a loop's body"},
                          {{"operand", SpillRule::operand}, {"body", SpillRule::body}}, &O::machine,
                          &M::spills);
    table.number_or_0(
        {"registers.warps", "",
         "warps of a core that the kernel leaves room for, as its compiler tells; 0 = by "
         "the rule"},
        &O::kernel, &K::compiled_warps);
    table.number_or_0(
        {"local.warps", "",
         "warps of a core whose work-groups its local memory has room for; 0 = not limiting"},
        &O::kernel, &K::local_warps);
    table.entries.push_back(
        {{"occupancy", "", "warps resident on a core; auto = what registers and local memory give"},
         [](const O& o) {
             return o.kernel.occupancy ? std::to_string(*o.kernel.occupancy) : std::string("auto");
         },
         [](O& o, const std::string& text) {
             o.kernel.occupancy = text == "auto" ? std::optional<int>() : parse_number<int>(text);
         }});
    table.entries.push_back(
        {{"layout", "", "storage layout of the texels, inner to outer"},
         [](const O& o) { return to_string(o.machine.layout); },
         [](O& o, const std::string& text) { o.machine.layout = parse_layout(text); }});
    const auto l1 = [](auto& options) -> auto&
    {
        return options.machine.l1();
    };
    const auto l2 = [](auto& options) -> auto&
    {
        return options.machine.l2();
    };
    add_cache(table, "l1", "capacity of each core's texture cache", l1);
    add_cache(table, "l2", "capacity of the cache shared by all cores; 0 takes it out", l2);
    add_banks(table, "l2", l2);
    table.word<GroupSchedule>({"schedule.groups", "", "batch, refill or whole"},
                              {{"batch", GroupSchedule::batch},
                               {"refill", GroupSchedule::refill},
                               {"whole", GroupSchedule::whole}},
                              &O::machine, &M::group_schedule);
    table.word<Dispatch>(
        {"schedule.dispatch", "", "of work-groups to cores: round-robin, or dynamic (timed mode)"},
        {{"round-robin", Dispatch::round_robin}, {"dynamic", Dispatch::dynamic}}, &O::machine,
        &M::dispatch);
    table.word<WarpSchedule>({"schedule.warps", "", "lrr, gto, oldest or two-level (timed mode)"},
                             {{"lrr", WarpSchedule::lrr},
                              {"gto", WarpSchedule::gto},
                              {"oldest", WarpSchedule::oldest},
                              {"two-level", WarpSchedule::two_level}},
                             &O::machine, &M::warp_schedule);
    table.number({"schedule.fetch_group", "", "warps of a fetch group of the two-level schedule"},
                 &O::machine, &M::fetch_group);
    table.word<bool>({"mode", "", "untimed (order of accesses only) or timed (cycles)"},
                     {{"untimed", false}, {"timed", true}}, &O::mode, &R::timed);
    table.word<bool>(
        {"misses.kinds", "",
         "on, or off: misses are counted, not told apart (faster): their kinds are null"},
        {{"on", true}, {"off", false}}, &O::mode, &R::miss_kinds);
    table.word<bool>(
        {"jump", "",
         "on, or off: every access is simulated (slower, the same counts; untimed mode)"},
        {{"on", true}, {"off", false}}, &O::mode, &R::jump);
    table.number({"clock", "MHz", "core clock"}, &O::machine, &M::timing, &T::clock_mhz);
    table.number({"latency.l1", "cycles", "issue to data on an L1 hit"}, l1, &CacheLevel::latency,
                 &Cycles::value);
    table.number({"latency.l2", "cycles", "issue to data on an L1 miss and L2 hit"}, l2,
                 &CacheLevel::latency, &Cycles::value);
    table.number({"latency.memory", "cycles", "issue to data on a miss in every cache"},
                 &O::machine, &M::timing, &T::memory_latency, &Cycles::value);
    table.number({"bandwidth.lookups", "1/cycle", "L1 lookups that a core's texture unit serves"},
                 &O::machine, &M::timing, &T::lookups_per_cycle);
    table.number({"bandwidth.l2", "B/cycle", "L2 to all cores together"}, l2,
                 &CacheLevel::bytes_per_cycle);
    table.number(
        {"bandwidth.memory", "B/cycle", "memory to L2, or to all cores where there is no L2"},
        &O::machine, &M::timing, &T::memory_bytes_per_cycle);
    table.number_or_0(
        {"memory.channels", "",
         "memory is dealt out to so many, each with a share of the bandwidth; 0 = one for all"},
        &O::machine, &M::timing, &T::memory_channels);
    table.number({"memory.interleave", "B", "memory that lies in one channel before the next"},
                 &O::machine, &M::timing, &T::memory_interleave, &Bytes::value);
    table.number_or_0(
        {"bandwidth.local", "B/cycle", "local memory of a core; 0 = it takes no time"}, &O::machine,
        &M::timing, &T::local_bytes_per_cycle);
    table.number({"outstanding_misses", "", "misses that a core can have under way"}, &O::machine,
                 &M::timing, &T::outstanding_misses);
    table.number_or_0(
        {"misses.merges", "",
         "further requests that a miss under way takes for its line; 0 = as many as come"},
        &O::machine, &M::timing, &T::misses_merges);
    table.number_or_0(
        {"latency_fifo", "",
         "lookups that wait for data, in order; 0 = no queue: data return as they come"},
        &O::machine, &M::timing, &T::latency_fifo);
    table.number_or_0(
        {"alu.lanes", "1/cycle", "fp32 multiply-adds of a core; 0 = arithmetic takes no time"},
        &O::machine, &M::timing, &T::alu_lanes);
    table.number_or_0({"alu.half_lanes", "1/cycle",
                       "fp16 multiply-adds of a core; 0 = it computes in float32 alone"},
                      &O::machine, &M::timing, &T::half_lanes);
    table.number({"alu.cycles_per_step", "cycles", "work of a warp between two of its accesses"},
                 &O::kernel, &K::alu_cycles_per_step);
    table.number_or_0(
        {"texture.lanes", "",
         "lanes whose addresses the texture unit works out in one cycle; 0 = in no time"},
        &O::machine, &M::timing, &T::texture_lanes);
    table.number({"texture.block", "B",
                  "aligned memory in which lanes taken in one cycle read; 0 = wherever they read"},
                 &O::machine, &M::timing, &T::texture_block, &Bytes::value);
    table.number({"texture.queue", "",
                  "reads that wait at the texture unit; a warp issues no read where it is full"},
                 &O::machine, &M::timing, &T::texture_queue);
    table.number_or_0(
        {"texture.return", "B/cycle",
         "texels that a core's texture unit hands back to lanes; 0 = in no time of its own"},
        &O::machine, &M::timing, &T::texture_return);
    table.number_or_0({"buffers.return", "B/cycle",
                       "the same of lanes that read buffers; 0 = as of those that read images"},
                      &O::machine, &M::timing, &T::buffers, &B::returned);
    table.number_or_0({"buffers.latency", "cycles",
                       "issue to data where a read of a buffer hits the L1 of the images, and as "
                       "much sooner behind it; 0 = as of an image"},
                      &O::machine, &M::timing, &T::buffers, &B::latency);
    table.number_or_0(
        {"buffers.lookups", "1/cycle", "L1 lookups of reads of buffers; 0 = as of images"},
        &O::machine, &M::timing, &T::buffers, &B::lookups_per_cycle);
    table.number_or_0({"buffers.lanes", "",
                       "lanes that read buffers whose addresses are worked out in one cycle; 0 = "
                       "as of images"},
                      &O::machine, &M::timing, &T::buffers, &B::lanes);
    table.number(
        {"buffers.block", "B", "aligned memory in which such lanes read; 0 = wherever they read"},
        &O::machine, &M::timing, &T::buffers, &B::block, &Bytes::value);
    table.number_or_0({"bandwidth.stores", "B/cycle",
                       "stores of all cores together to the level they share; 0 = as that level"},
                      &O::machine, &M::stores, &S::bytes_per_cycle);
    table.number({"stores.sector", "B",
                  "what a warp stores together; 0 = stores take as long as their bytes"},
                 &O::machine, &M::stores, &S::sector, &Bytes::value);
    table.number({"stores.partial", "",
                  "whole sectors for whose time one takes of which a warp stores a part"},
                 &O::machine, &M::stores, &S::partial);
    table.number(
        {"stores.line", "", "sectors for whose time each line takes that a warp's store goes to"},
        &O::machine, &M::stores, &S::line);
    table.number({"issue.partitions", "",
                  "of a core, each with a share of its warps and lanes and an issue port"},
                 &O::machine, &M::instructions, &I::partitions);
    table.number({"issue.reads_in_flight", "",
                  "reads of a warp that the compiler puts before the first use of one"},
                 &O::machine, &M::instructions, &I::reads_in_flight);
    table.number({"issue.read", "", "instructions of a read, its address included"}, &O::machine,
                 &M::instructions, &I::read);
    table.number({"issue.store", "", "instructions for each texel that is written"}, &O::machine,
                 &M::instructions, &I::store);
    table.number({"issue.exponential", "", "instructions of an exponential"}, &O::machine,
                 &M::instructions, &I::exponential);
    table.number({"issue.gap", "",
                  "cycles from an instruction of a warp to its next, over those that it issues"},
                 &O::machine, &M::instructions, &I::gap);
    table.number({"unroll.iterations", "", "most of a loop that the compiler writes out"},
                 &O::machine, &M::instructions, &I::unroll_iterations);
    table.number({"unroll.size", "", "most reads and operations of a loop that it writes out"},
                 &O::machine, &M::instructions, &I::unroll_size);
    table.number({"unroll.slowdown", "",
                  "times as long that arithmetic takes where the kernel's text writes loops out"},
                 &O::machine, &M::instructions, &I::unroll_slowdown);
    table.number({"launch", "ns", "time of an empty kernel"}, &O::machine, &M::timing,
                 &T::launch_ns);
    table.word<bool>(
        {"l2.warm", "", "yes or no: what fits L2 is there from the launch before (timed mode)"},
        {{"no", false}, {"yes", true}}, &O::mode, &R::warm_l2);
    return std::move(table.entries);
}

const std::vector<Entry>& setting_table()
{
    static const std::vector<Entry> entries = make_setting_table();
    return entries;
}

/// "level.NAME.latency" names a property of a level beside L1 and L2.
struct LevelKey {
    std::string level;
    std::string property;
};
/// Nothing where the key is none of that kind.
std::optional<LevelKey> level_key(const std::string& key)
{
    const std::string prefix = "level.";
    const auto end = key.find('.', prefix.size());
    if (!key.starts_with(prefix) || end == std::string::npos) {
        return std::nullopt;
    }
    return LevelKey{key.substr(prefix.size(), end - prefix.size()), key.substr(end + 1)};
}

void check_name(const std::string& level)
{
    const bool capital = !level.empty() && level.front() >= 'A' && level.front() <= 'Z';
    const bool plain = std::ranges::all_of(level, [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    });
    if (!capital || !plain || level == "L1" || level == "L2") {
        throw bad_input(
            "a level of cache cannot be called '" + level + "'", {},
            "use letters and digits, a capital first; L1 and L2 have keys of their own");
    }
}

/// Puts a level behind another one.
void move_behind(std::vector<CacheLevel>& caches, const std::string& level,
                 const std::string& before)
{
    const auto place_of = [&](const std::string& name) {
        return std::ranges::find(caches, name, &CacheLevel::name);
    };
    if (before == level || place_of(before) == caches.end()) {
        std::string known;
        for (const CacheLevel& each : caches) {
            known += each.name == level ? "" : (known.empty() ? "" : ", ") + each.name;
        }
        throw bad_input("there is no level '" + before + "' before it", {}, "use one of " + known);
    }
    const CacheLevel moved = *place_of(level);
    caches.erase(place_of(level));
    caches.insert(place_of(before) + 1, moved);
}

/// The rows of a level beside L1 and L2, which the options must have.
std::vector<Entry> level_table(const std::string& name)
{
    using O = SimulationOptions;
    const auto level = [name](auto& options) -> auto&
    {
        return *options.machine.find(name);
    };
    const std::string key = "level." + name;
    Table table;
    table.entries.push_back(
        {{key + ".behind", "", "the level before it, which asks it for what it misses"},
         [=](const O& o) {
             const auto& caches = o.machine.caches;
             return (std::ranges::find(caches, name, &CacheLevel::name) - 1)->name;
         },
         [=](O& o, const std::string& text) { move_behind(o.machine.caches, name, text); }});
    table.word<bool>(
        {key + ".shared", "", "yes or no: by all cores; else each core has one of its own"},
        {{"no", false}, {"yes", true}}, level, &CacheLevel::shared);
    add_cache(table, key, "capacity; 0 takes it out", level);
    add_banks(table, key, level);
    table.number({key + ".latency", "cycles", "issue to data where it is the first level to hit"},
                 level, &CacheLevel::latency, &Cycles::value);
    table.number({key + ".bandwidth", "B/cycle", "to all that ask it together"}, level,
                 &CacheLevel::bytes_per_cycle);
    return std::move(table.entries);
}

/// The row of a key; a level that it names must be there.
Entry find_row(const std::string& key)
{
    const auto level = level_key(key);
    if (level) {
        check_name(level->level);
    }
    const std::vector<Entry> entries = level ? level_table(level->level) : setting_table();
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const Entry& e) { return e.setting.key == key; });
    if (found != entries.end()) {
        return *found;
    }
    const auto nearest =
        std::min_element(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
            return edit_distance(a.setting.key, key) < edit_distance(b.setting.key, key);
        });
    constexpr std::size_t likely_slip = 3;
    throw bad_input("there is no setting '" + key + "'", {},
                    edit_distance(nearest->setting.key, key) <= likely_slip
                        ? "did you mean '" + nearest->setting.key + "'?"
                        : "texelscope devices NAME shows the keys");
}

} // namespace

const std::vector<Setting>& settings()
{
    static const std::vector<Setting> all = settings_of(setting_table());
    return all;
}

std::vector<Setting> settings(const Machine& machine)
{
    std::vector<Setting> all = settings();
    for (const CacheLevel& level : machine.caches) {
        if (level.name != "L1" && level.name != "L2") {
            std::ranges::copy(settings_of(level_table(level.name)), std::back_inserter(all));
        }
    }
    return all;
}

Setting setting_of(const std::string& key)
{
    return find_row(key).setting;
}

void set(SimulationOptions& options, const std::string& key, const std::string& value)
{
    const Entry row = find_row(key);
    const auto level = level_key(key);
    if (!level || options.machine.find(level->level) != nullptr) {
        write(row, options, value);
        return;
    }
    SimulationOptions with_level = options;
    std::vector<CacheLevel>& caches = with_level.machine.caches;
    caches.insert(caches.begin() + 1, CacheLevel{.name = level->level});
    write(row, with_level, value);
    options = with_level;
}

std::string get(const SimulationOptions& options, const std::string& key)
{
    const Entry row = find_row(key);
    if (const auto level = level_key(key); level && options.machine.find(level->level) == nullptr) {
        throw bad_input("there is no level '" + level->level + "'", key, "set level.NAME.capacity");
    }
    return row.read(options);
}

} // namespace texelscope::sim
