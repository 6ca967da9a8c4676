// The one table behind `--set`, the settings of a result and the keys of a device profile.

#include "base/error.hpp"
#include "base/text.hpp"
#include "sim/options/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <limits>

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
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw bad_input("'" + text + "' is not a number in range", {}, "give a plain number");
    }
    return value;
}

template <>
double parse(const std::string& text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value > -1e18 && value < 1e18)) {
        throw bad_input("'" + text + "' is not a number", {}, "give a plain number");
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

/// An entry for a plain number that `member` gives access to.
template <class Member>
SettingEntry number(Setting setting, Member member)
{
    using Number = std::remove_cvref_t<decltype(member(std::declval<SimulationOptions&>()))>;
    return {std::move(setting), [member](const SimulationOptions& o) { return fmt::format("{}", member(o)); },
            [member](SimulationOptions& o, const std::string& text) { member(o) = parse<Number>(text); }};
}

template <class Enum, class Member>
SettingEntry word(Setting setting, Words<Enum> words, Member member)
{
    return {std::move(setting), [member, words](const SimulationOptions& o) { return word_of(words, member(o)); },
            [member, words](SimulationOptions& o, const std::string& text) { member(o) = parse_word(words, text); }};
}

void add_cache(std::vector<SettingEntry>& table, const std::string& name, CacheGeometry SimulationOptions::*cache)
{
    const auto bytes = [&](const char* key, const std::string& about, Bytes CacheGeometry::*member) {
        table.push_back(number(
            {name + "." + key, "B", about}, [=](auto& o) -> auto& { return (o.*cache.*member).value; }));
    };
    bytes("capacity",
          name == "l2" ? "capacity of the cache shared by all cores; 0 takes it out"
                       : "capacity of each core's texture cache",
          &CacheGeometry::capacity);
    bytes("line", "line size", &CacheGeometry::line);
    table.push_back(number(
        {name + ".ways", "", "lines of a set; 0 = fully associative"}, [=](auto& o) -> auto& {
            return (o.*cache).ways;
        }));
    table.push_back(
        {{name + ".replacement", "", replacement_names()},
         [=](const SimulationOptions& o) { return to_string((o.*cache).replacement); },
         [=](SimulationOptions& o, const std::string& text) { (o.*cache).replacement = parse_replacement(text); }});
    bytes("sector", "part of a line that is fetched on its own; 0 = the whole line", &CacheGeometry::sector);
    table.push_back(word<SetIndex>(
        {name + ".index", "", "how a line selects its set: modulo or xor"},
        {{"modulo", SetIndex::modulo}, {"xor", SetIndex::xor_folded}}, [=](auto& o) -> auto& {
            return (o.*cache).index;
        }));
    table.push_back(number(
        {name + ".seed", "", "seed of the random replacement"}, [=](auto& o) -> auto& { return (o.*cache).seed; }));
}

std::vector<SettingEntry> make_setting_table()
{
    using O = SimulationOptions;
    std::vector<SettingEntry> table;
    table.push_back(number(
        {"cores", "", "shader cores"}, [](auto& o) -> auto& { return o.cores; }));
    table.push_back(number(
        {"warp.size", "", "work-items of a warp"}, [](auto& o) -> auto& { return o.warp_size; }));
    table.push_back(number(
        {"warp.limit", "", "most warps resident on a core"}, [](auto& o) -> auto& { return o.warps_per_core; }));
    table.push_back(number(
        {"registers.per_core", "", "32-bit registers of a core; 0 = not limiting"},
        [](auto& o) -> auto& { return o.registers_per_core; }));
    table.push_back(word<RegisterRule>(
        {"registers.rule", "", "pool: a work-item takes what its kernel needs; 32-or-64: 64 above 32, the rest spills"},
        {{"pool", RegisterRule::pool}, {"32-or-64", RegisterRule::half_above}},
        [](auto& o) -> auto& { return o.register_rule; }));
    table.push_back(number(
        {"registers.per_item", "", "32-bit registers of a work-item; 0 = not limiting"},
        [](auto& o) -> auto& { return o.registers_per_item; }));
    table.push_back({{"occupancy", "", "warps resident on a core; auto = what the registers give"},
                     [](const O& o) { return o.occupancy ? std::to_string(*o.occupancy) : std::string("auto"); },
                     [](O& o, const std::string& text) {
                         o.occupancy = text == "auto" ? std::optional<int>() : parse<int>(text);
                     }});
    table.push_back({{"layout", "", "storage layout of the texels, inner to outer"},
                     [](const O& o) { return to_string(o.layout); },
                     [](O& o, const std::string& text) { o.layout = parse_layout(text); }});
    add_cache(table, "l1", &O::l1);
    add_cache(table, "l2", &O::l2);
    table.push_back(word<GroupSchedule>(
        {"schedule.groups", "", "batch or refill"},
        {{"batch", GroupSchedule::batch}, {"refill", GroupSchedule::refill}},
        [](auto& o) -> auto& { return o.group_schedule; }));
    table.push_back(word<Dispatch>(
        {"schedule.dispatch", "", "of work-groups to cores: round-robin, or dynamic (timed mode)"},
        {{"round-robin", Dispatch::round_robin}, {"dynamic", Dispatch::dynamic}},
        [](auto& o) -> auto& { return o.dispatch; }));
    table.push_back(word<WarpSchedule>(
        {"schedule.warps", "", "lrr, gto, oldest or two-level (timed mode)"},
        {{"lrr", WarpSchedule::lrr},
         {"gto", WarpSchedule::gto},
         {"oldest", WarpSchedule::oldest},
         {"two-level", WarpSchedule::two_level}},
        [](auto& o) -> auto& { return o.warp_schedule; }));
    table.push_back(number(
        {"schedule.fetch_group", "", "warps of a fetch group of the two-level schedule"},
        [](auto& o) -> auto& { return o.fetch_group; }));
    table.push_back(word<bool>(
        {"mode", "", "untimed (order of accesses only) or timed (cycles)"}, {{"untimed", false}, {"timed", true}},
        [](auto& o) -> auto& { return o.timed; }));
    table.push_back(word<bool>(
        {"misses.kinds", "", "on, or off: misses are counted, not told apart (faster): their kinds are null"},
        {{"on", true}, {"off", false}}, [](auto& o) -> auto& { return o.miss_kinds; }));
    table.push_back(word<bool>(
        {"jump", "", "on, or off: every access is simulated (slower, the same counts; untimed mode)"},
        {{"on", true}, {"off", false}}, [](auto& o) -> auto& { return o.jump; }));
    table.push_back(number(
        {"clock", "MHz", "core clock"}, [](auto& o) -> auto& { return o.timing.clock_mhz; }));
    table.push_back(number(
        {"latency.l1", "cycles", "issue to data on an L1 hit"},
        [](auto& o) -> auto& { return o.timing.hit_latency.value; }));
    table.push_back(number(
        {"latency.l2", "cycles", "issue to data on an L1 miss and L2 hit"},
        [](auto& o) -> auto& { return o.timing.l2_latency.value; }));
    table.push_back(number(
        {"latency.memory", "cycles", "issue to data on a miss in every cache"},
        [](auto& o) -> auto& { return o.timing.memory_latency.value; }));
    table.push_back(number(
        {"bandwidth.lookups", "1/cycle", "L1 lookups that a core's texture unit serves"},
        [](auto& o) -> auto& { return o.timing.lookups_per_cycle; }));
    table.push_back(number(
        {"bandwidth.l2", "B/cycle", "L2 to all cores together"},
        [](auto& o) -> auto& { return o.timing.l2_bytes_per_cycle; }));
    table.push_back(number(
        {"bandwidth.memory", "B/cycle", "memory to L2, or to all cores where there is no L2"},
        [](auto& o) -> auto& { return o.timing.memory_bytes_per_cycle; }));
    table.push_back(number(
        {"outstanding_misses", "", "misses that a core can have under way"},
        [](auto& o) -> auto& { return o.timing.outstanding_misses; }));
    table.push_back(number(
        {"misses.merges", "", "further requests that a miss under way takes for its line; 0 = as many as come"},
        [](auto& o) -> auto& { return o.timing.misses_merges; }));
    table.push_back(number(
        {"latency_fifo", "", "lookups that wait for data, in order; 0 = no queue: data return as they come"},
        [](auto& o) -> auto& { return o.timing.latency_fifo; }));
    table.push_back(number(
        {"alu.lanes", "1/cycle", "fp32 multiply-adds of a core; 0 = arithmetic takes no time"},
        [](auto& o) -> auto& { return o.timing.alu_lanes; }));
    table.push_back(number(
        {"alu.cycles_per_step", "cycles", "work of a warp between two of its accesses"},
        [](auto& o) -> auto& { return o.timing.alu_cycles_per_step; }));
    table.push_back(number(
        {"model.lanes", "", "bottleneck model: lanes that the texture unit serves in a cycle; 0 = by lookups"},
        [](auto& o) -> auto& { return o.front_end.lanes; }));
    table.push_back(number(
        {"model.block", "B", "bottleneck model: aligned memory in which lanes served in one cycle read"},
        [](auto& o) -> auto& { return o.front_end.block.value; }));
    table.push_back(number(
        {"model.reads_in_flight", "", "bottleneck model: reads that a warp has under way"},
        [](auto& o) -> auto& { return o.front_end.reads_in_flight; }));
    table.push_back(number(
        {"model.issue", "cycles", "bottleneck model: of the issue port, for each read beside the arithmetic"},
        [](auto& o) -> auto& { return o.front_end.issue_cycles; }));
    table.push_back(number(
        {"model.launch", "ns", "bottleneck model: time of an empty kernel"},
        [](auto& o) -> auto& { return o.front_end.launch_ns; }));
    table.push_back(number(
        {"model.partitions", "", "bottleneck model: of a core's arithmetic lanes, of which a warp has one"},
        [](auto& o) -> auto& { return o.front_end.partitions; }));
    table.push_back(number(
        {"model.overlap", "",
         "bottleneck model: exponent by which the bounds of a launch are joined, 1 to 64; 0 = the slowest of each "
         "round"},
        [](auto& o) -> auto& { return o.front_end.overlap; }));
    table.push_back(word<bool>(
        {"model.warm_l2", "", "bottleneck model: yes or no: images that fit L2 are there from the launch before"},
        {{"no", false}, {"yes", true}}, [](auto& o) -> auto& { return o.front_end.warm_l2; }));
    return table;
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
