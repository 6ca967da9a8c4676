// The one table behind `--set`, the settings of a result and the keys of a device profile.

#include "base/error.hpp"
#include "base/text.hpp"
#include "sim/options/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <type_traits>

namespace texelscope::sim {
namespace {

struct SettingEntry {
    Setting setting;
    std::function<std::string(const SimulationOptions&)> read;
    std::function<void(SimulationOptions&, const std::string&)> write;
};

template <class Number>
Number parse(const std::string& text)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if constexpr (std::is_floating_point_v<Number>) {
        if (!whole || !(value > -1e18 && value < 1e18)) {
            throw bad_input("'" + text + "' is not a number", {}, "give a plain number");
        }
    } else if (!whole) {
        throw bad_input("'" + text + "' is not a number in range", {}, "give a plain number");
    }
    return value;
}

/// A word out of a closed list.
template <class Enum>
using Words = std::vector<std::pair<const char*, Enum>>;

template <class Enum>
std::string word_of(const Words<Enum>& words, Enum value)
{
    return std::find_if(words.begin(), words.end(), [&](const auto& w) { return w.second == value; })->first;
}

template <class Enum>
Enum parse_word(const Words<Enum>& words, const std::string& text)
{
    std::string known;
    for (const auto& [word, value] : words) {
        if (text == word) {
            return value;
        }
        known += (known.empty() ? "" : ", ") + std::string(word);
    }
    throw bad_input("'" + text + "' is not one of the words", {}, "use " + known);
}

/// A member of the options, of one of their parts, and so on.
template <class Part, class Member, class... Members>
auto& at(Part& part, Member member, Members... members)
{
    if constexpr (sizeof...(members) == 0) {
        return part.*member;
    } else {
        return at(part.*member, members...);
    }
}

class SettingTable {
public:
    /// A plain number.
    template <class... Members>
    void number(Setting setting, Members... members)
    {
        using Number = std::remove_cvref_t<decltype(at(std::declval<SimulationOptions&>(), members...))>;
        entries.push_back(
            {std::move(setting), [=](const SimulationOptions& o) { return fmt::format("{}", at(o, members...)); },
             [=](SimulationOptions& o, const std::string& text) { at(o, members...) = parse<Number>(text); }});
    }
    template <class Enum, class... Members>
    void word(Setting setting, Words<Enum> words, Members... members)
    {
        entries.push_back(
            {std::move(setting), [=](const SimulationOptions& o) { return word_of(words, at(o, members...)); },
             [=](SimulationOptions& o, const std::string& text) { at(o, members...) = parse_word(words, text); }});
    }

    std::vector<SettingEntry> entries;
};

void add_cache(SettingTable& table, const std::string& name, CacheGeometry SimulationOptions::*cache)
{
    table.number({name + ".capacity", "B",
                  name == "l2" ? "capacity of the cache shared by all cores; 0 takes it out"
                               : "capacity of each core's texture cache"},
                 cache, &CacheGeometry::capacity, &Bytes::value);
    table.number({name + ".line", "B", "line size"}, cache, &CacheGeometry::line, &Bytes::value);
    table.number({name + ".ways", "", "lines of a set; 0 = fully associative"}, cache, &CacheGeometry::ways);
    table.entries.push_back(
        {{name + ".replacement", "", replacement_names()},
         [=](const SimulationOptions& o) { return to_string((o.*cache).replacement); },
         [=](SimulationOptions& o, const std::string& text) { (o.*cache).replacement = parse_replacement(text); }});
    table.number({name + ".sector", "B", "part of a line that is fetched on its own; 0 = the whole line"}, cache,
                 &CacheGeometry::sector, &Bytes::value);
    table.word<SetIndex>({name + ".index", "", "how a line selects its set: modulo or xor"},
                         {{"modulo", SetIndex::modulo}, {"xor", SetIndex::xor_folded}}, cache, &CacheGeometry::index);
    table.number({name + ".seed", "", "seed of the random replacement"}, cache, &CacheGeometry::seed);
}

std::vector<SettingEntry> make_setting_table()
{
    using O = SimulationOptions;
    using T = Timing;
    using I = Instructions;
    SettingTable table;
    table.number({"cores", "", "shader cores"}, &O::cores);
    table.number({"cores.simulated", "",
                  "timed mode: the first so many, with their share of the bandwidth that all share; 0 = all"},
                 &O::simulated_cores);
    table.number({"warp.size", "", "work-items of a warp"}, &O::warp_size);
    table.number({"warp.limit", "", "most warps resident on a core"}, &O::warps_per_core);
    table.number({"groups.limit", "", "most work-groups resident on a core (schedule.groups=whole); 0 = not limiting"},
                 &O::groups_per_core);
    table.number({"registers.per_core", "", "32-bit registers of a core; 0 = not limiting"}, &O::registers_per_core);
    table.word<RegisterRule>(
        {"registers.rule", "", "pool: a work-item takes what its kernel needs; 32-or-64: 64 above 32, the rest spills"},
        {{"pool", RegisterRule::pool}, {"32-or-64", RegisterRule::half_above}}, &O::register_rule);
    table.number({"registers.step", "", "32-bit registers that a work-item takes at a time (pool)"}, &O::register_step);
    table.number({"registers.partitions", "", "of a core, each with a share of its registers and warps"},
                 &O::register_partitions);
    table.number({"registers.per_item", "", "32-bit registers of a work-item; 0 = not limiting"},
                 &O::registers_per_item);
    table.number(
        {"registers.spilled", "", "32-bit registers of a work-item that the kernel keeps in memory for want of room"},
        &O::spilled_registers);
    table.number({"registers.warps", "",
                  "warps of a core that the kernel leaves room for, as its compiler tells; 0 = by "
                  "the rule"},
                 &O::compiled_warps);
    table.number(
        {"local.warps", "", "warps of a core whose work-groups its local memory has room for; 0 = not limiting"},
        &O::local_warps);
    table.entries.push_back(
        {{"occupancy", "", "warps resident on a core; auto = what registers and local memory give"},
         [](const O& o) { return o.occupancy ? std::to_string(*o.occupancy) : std::string("auto"); },
         [](O& o, const std::string& text) {
             o.occupancy = text == "auto" ? std::optional<int>() : parse<int>(text);
         }});
    table.entries.push_back({{"layout", "", "storage layout of the texels, inner to outer"},
                             [](const O& o) { return to_string(o.layout); },
                             [](O& o, const std::string& text) { o.layout = parse_layout(text); }});
    add_cache(table, "l1", &O::l1);
    add_cache(table, "l2", &O::l2);
    table.word<GroupSchedule>(
        {"schedule.groups", "", "batch, refill or whole"},
        {{"batch", GroupSchedule::batch}, {"refill", GroupSchedule::refill}, {"whole", GroupSchedule::whole}},
        &O::group_schedule);
    table.word<Dispatch>({"schedule.dispatch", "", "of work-groups to cores: round-robin, or dynamic (timed mode)"},
                         {{"round-robin", Dispatch::round_robin}, {"dynamic", Dispatch::dynamic}}, &O::dispatch);
    table.word<WarpSchedule>({"schedule.warps", "", "lrr, gto, oldest or two-level (timed mode)"},
                             {{"lrr", WarpSchedule::lrr},
                              {"gto", WarpSchedule::gto},
                              {"oldest", WarpSchedule::oldest},
                              {"two-level", WarpSchedule::two_level}},
                             &O::warp_schedule);
    table.number({"schedule.fetch_group", "", "warps of a fetch group of the two-level schedule"}, &O::fetch_group);
    table.word<bool>({"mode", "", "untimed (order of accesses only) or timed (cycles)"},
                     {{"untimed", false}, {"timed", true}}, &O::timed);
    table.word<bool>(
        {"misses.kinds", "", "on, or off: misses are counted, not told apart (faster): their kinds are null"},
        {{"on", true}, {"off", false}}, &O::miss_kinds);
    table.word<bool>({"jump", "", "on, or off: every access is simulated (slower, the same counts; untimed mode)"},
                     {{"on", true}, {"off", false}}, &O::jump);
    table.number({"clock", "MHz", "core clock"}, &O::timing, &T::clock_mhz);
    table.number({"latency.l1", "cycles", "issue to data on an L1 hit"}, &O::timing, &T::hit_latency, &Cycles::value);
    table.number({"latency.l2", "cycles", "issue to data on an L1 miss and L2 hit"}, &O::timing, &T::l2_latency,
                 &Cycles::value);
    table.number({"latency.memory", "cycles", "issue to data on a miss in every cache"}, &O::timing, &T::memory_latency,
                 &Cycles::value);
    table.number({"bandwidth.lookups", "1/cycle", "L1 lookups that a core's texture unit serves"}, &O::timing,
                 &T::lookups_per_cycle);
    table.number({"bandwidth.l2", "B/cycle", "L2 to all cores together"}, &O::timing, &T::l2_bytes_per_cycle);
    table.number({"bandwidth.memory", "B/cycle", "memory to L2, or to all cores where there is no L2"}, &O::timing,
                 &T::memory_bytes_per_cycle);
    table.number({"bandwidth.local", "B/cycle", "local memory of a core; 0 = it takes no time"}, &O::timing,
                 &T::local_bytes_per_cycle);
    table.number({"outstanding_misses", "", "misses that a core can have under way"}, &O::timing,
                 &T::outstanding_misses);
    table.number(
        {"misses.merges", "", "further requests that a miss under way takes for its line; 0 = as many as come"},
        &O::timing, &T::misses_merges);
    table.number({"latency_fifo", "", "lookups that wait for data, in order; 0 = no queue: data return as they come"},
                 &O::timing, &T::latency_fifo);
    table.number({"alu.lanes", "1/cycle", "fp32 multiply-adds of a core; 0 = arithmetic takes no time"}, &O::timing,
                 &T::alu_lanes);
    table.number({"alu.half_lanes", "1/cycle", "fp16 multiply-adds of a core; 0 = it computes in float32 alone"},
                 &O::timing, &T::half_lanes);
    table.number({"alu.cycles_per_step", "cycles", "work of a warp between two of its accesses"}, &O::timing,
                 &T::alu_cycles_per_step);
    table.number({"texture.lanes", "", "lanes whose addresses the texture unit works out in one cycle; 0 = in no time"},
                 &O::timing, &T::texture_lanes);
    table.number({"texture.block", "B", "aligned memory in which lanes taken in one cycle read"}, &O::timing,
                 &T::texture_block, &Bytes::value);
    table.number({"issue.partitions", "", "of a core, each with a share of its warps and lanes and an issue port"},
                 &O::instructions, &I::partitions);
    table.number({"issue.reads_in_flight", "", "reads of a warp that the compiler puts before the first use of one"},
                 &O::instructions, &I::reads_in_flight);
    table.number({"issue.read", "", "instructions of a read, its address included"}, &O::instructions, &I::read);
    table.number({"issue.store", "", "instructions for each texel that is written"}, &O::instructions, &I::store);
    table.number({"issue.exponential", "", "instructions of an exponential"}, &O::instructions, &I::exponential);
    table.number({"issue.gap", "", "cycles from an instruction of a warp to its next, over those that it issues"},
                 &O::instructions, &I::gap);
    table.number({"unroll.iterations", "", "most of a loop that the compiler writes out"}, &O::instructions,
                 &I::unroll_iterations);
    table.number({"unroll.size", "", "most reads and operations of a loop that it writes out"}, &O::instructions,
                 &I::unroll_size);
    table.number({"launch", "ns", "time of an empty kernel"}, &O::timing, &T::launch_ns);
    table.word<bool>({"l2.warm", "", "yes or no: what fits L2 is there from the launch before (timed mode)"},
                     {{"no", false}, {"yes", true}}, &O::warm_l2);
    table.number({"model.overlap", "",
                  "bottleneck model: exponent by which the bounds of a launch are joined, 1 to 64; 0 = the slowest of "
                  "each round"},
                 &O::model_overlap);
    return std::move(table.entries);
}

const std::vector<SettingEntry>& setting_table()
{
    static const std::vector<SettingEntry> entries = make_setting_table();
    return entries;
}

const SettingEntry& find(const std::string& key)
{
    const auto& entries = setting_table();
    const auto found =
        std::find_if(entries.begin(), entries.end(), [&](const SettingEntry& e) { return e.setting.key == key; });
    if (found != entries.end()) {
        return *found;
    }
    const auto nearest =
        std::min_element(entries.begin(), entries.end(), [&](const SettingEntry& a, const SettingEntry& b) {
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
    static const std::vector<Setting> all = [] {
        std::vector<Setting> list;
        for (const SettingEntry& entry : setting_table()) {
            list.push_back(entry.setting);
        }
        return list;
    }();
    return all;
}

void set(SimulationOptions& options, const std::string& key, const std::string& value)
{
    const SettingEntry& entry = find(key);
    try {
        entry.write(options, value);
    } catch (const Error& error) {
        throw bad_input(error.what(), key);
    }
}

std::string get(const SimulationOptions& options, const std::string& key)
{
    return find(key).read(options);
}

} // namespace texelscope::sim
