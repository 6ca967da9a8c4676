#include "workbench/machines/prior.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

namespace texelscope::workbench::machines {
namespace {

using Kind = PriorRow::Kind;
using Says = PriorRow::Says;

// Ranges hold every GPU of devices/profiles, phones and the H100 alike, and what stands in the
// reasons beside.
constexpr auto rows = std::to_array<PriorRow>({
    {.key = "layout",
     .says = Says::reads,
     .choices =
         "linear-pitch64 4x4:morton,2x4:row,row adreno-a6xx-tile3 adreno-a6xx-a7xx-tile3-8ch "
         "nvidia-blocklinear-turing-gob16",
     .why = "rows, and the tiled layouts that open drivers describe"},
    {.key = "l1.capacity",
     .says = Says::reads,
     .choices = "1024 2048 4096 8192 16384 32768 65536 131072 262144",
     .why = "1 KB as papers have it of Adreno GPUs, to the 256 KB of an H100"},
    {.key = "l1.line",
     .says = Says::reads,
     .choices = "32 64 128",
     .why = "from two texels of 16 B to the longest line that is known of a GPU"},
    {.key = "l1.sector",
     .says = Says::reads,
     .choices = "0 32",
     .why = "the whole line, or the sectors of 32 B that NVIDIA's caches fetch"},
    {.key = "l1.ways", .says = Says::reads, .choices = "2 4 8 16", .why = "what caches have"},
    {.key = "l1.index", .says = Says::reads, .choices = "modulo xor", .why = "all that there is"},
    {.key = "l2.capacity",
     .says = Says::reads,
     .choices = "65536 131072 262144 524288 1048576 2097152 4194304 8388608 16777216 33554432",
     .why = "64 KB of an old Adreno to the 32 MB that one half of an H100 sees"},
    {.key = "l2.line", .says = Says::reads, .choices = "64 128", .why = "what L2 caches have"},
    {.key = "l2.ways", .says = Says::reads, .choices = "4 8 16", .why = "what L2 caches have"},
    {.key = "l2.banks",
     .says = Says::reads,
     .choices = "0 2 4 8 16",
     .why = "none that are told apart, to one for each channel of memory"},
    {.key = "level.*.capacity",
     .says = Says::reads,
     .choices = "16384 32768 65536 131072 262144 524288",
     .why = "more than an L1, less than an L2"},
    {.key = "level.*.line", .says = Says::reads, .choices = "64 128", .why = "as of L2"},
    {.key = "clock",
     .kind = Kind::logarithmic,
     .low = 300,
     .high = 2000,
     .why = "phones run at 300 to 1,000 MHz, an H100 at 1,980"},
    {.key = "warp.limit",
     .choices = "8 16 24 32 48 64",
     .why = "8 of a small Mali to 64 of an H100"},
    {.key = "warp.double",
     .choices = "0 24 32 48 64 96",
     .why = "never, or up to half of the registers that a work-item can have"},
    {.key = "groups.limit", .choices = "0 4 8 16 32", .why = "no limit, or a power of two"},
    {.key = "registers.per_core",
     .choices = "8192 16384 24576 32768 49152 65536 98304",
     .why = "32 KB of a Mali's core to twice the 192 KB that a driver tells of an Adreno's"},
    {.key = "limits.registers_per_item",
     .choices = "48 64 80 88 96 104 112 128 160 192 256",
     .why = "a quarter of what instructions of an Adreno can name, to 256 of an H100"},
    {.key = "registers.spills", .choices = "operand body", .why = "all that there is"},
    {.key = "schedule.groups", .choices = "batch refill whole", .why = "all that there is"},
    {.key = "latency.l1",
     .kind = Kind::logarithmic,
     .low = 20,
     .high = 300,
     .whole = true,
     .why = "published ones are from 38 to 119 cycles"},
    {.key = "latency.l2",
     .kind = Kind::logarithmic,
     .low = 60,
     .high = 700,
     .whole = true,
     .why = "published ones are from 100 to 357 cycles"},
    {.key = "latency.memory",
     .kind = Kind::logarithmic,
     .low = 120,
     .high = 1500,
     .whole = true,
     .why = "published ones are from 190 to 758 cycles"},
    {.key = "level.*.latency",
     .kind = Kind::logarithmic,
     .low = 40,
     .high = 500,
     .whole = true,
     .why = "between that of L1 and that of L2"},
    {.key = "bandwidth.lookups",
     .kind = Kind::logarithmic,
     .low = 0.25,
     .high = 16,
     .why = "one lookup in four cycles to four for each of four sub-units"},
    {.key = "bandwidth.l2",
     .kind = Kind::logarithmic,
     .low = 4,
     .high = 128,
     .of_core = true,
     .why = "published ones are 8 to 83 B a cycle and core"},
    {.key = "level.*.bandwidth",
     .kind = Kind::logarithmic,
     .low = 8,
     .high = 512,
     .why = "16 B to a line or several in each cycle"},
    {.key = "bandwidth.memory",
     .kind = Kind::logarithmic,
     .low = 1,
     .high = 64,
     .of_core = true,
     .why = "published ones are 3 to 24 B a cycle and core"},
    {.key = "bandwidth.local",
     .kind = Kind::logarithmic,
     .low = 16,
     .high = 256,
     .why = "4 to 64 banks of 4 B"},
    {.key = "outstanding_misses",
     .kind = Kind::logarithmic,
     .low = 8,
     .high = 1024,
     .whole = true,
     .why = "8 entries to several for each lane of all warps"},
    {.key = "alu.lanes",
     .kind = Kind::logarithmic,
     .low = 16,
     .high = 512,
     .why = "a small Mali's core has 24, an Adreno's 256"},
    {.key = "alu.half_lanes",
     .kind = Kind::logarithmic,
     .low = 16,
     .high = 1024,
     .why = "as many as of float32, or twice as many"},
    {.key = "texture.lanes",
     .says = Says::reads,
     .choices = "0 2 4 8 16 32",
     .why = "addresses in no time, or some lanes at a time"},
    {.key = "texture.block",
     .says = Says::reads,
     .choices = "0 64 128 256 512",
     .why = "wherever lanes read, or half a line to four lines"},
    {.key = "texture.queue",
     .says = Says::simulator,
     .choices = "0 2 4 8 16 32 64",
     .always = true,
     .why = "no queue, to the reads of several warps"},
    {.key = "texture.return",
     .choices = "0 16 32 64 128 256",
     .why = "not limiting, or one texel of 16 B to 16 of them"},
    {.key = "buffers.return",
     .choices = "0 16 32 64 128 256",
     .why = "as images, or one texel of 16 B to 16 of them"},
    {.key = "issue.partitions", .choices = "1 2 4", .why = "what GPUs have"},
    {.key = "issue.reads_in_flight",
     .choices = "1 2 4 8 16",
     .why = "one after the other, to twice what Mesa's compiler puts together"},
    {.key = "issue.read",
     .kind = Kind::logarithmic,
     .low = 1,
     .high = 12,
     .why = "the read alone, to ten instructions for its address"},
    {.key = "issue.store",
     .kind = Kind::logarithmic,
     .low = 1,
     .high = 120,
     .why = "one instruction, to twice the 60 of an H100"},
    {.key = "issue.exponential",
     .choices = "2 4 6 10 14 22 30 40",
     .why = "a unit of its own, to twice what Mesa's compiler makes"},
    {.key = "issue.gap",
     .kind = Kind::linear,
     .low = 1,
     .high = 4,
     .why = "back to back, to a pipeline of four steps that nobody bypasses"},
    {.key = "unroll.iterations", .choices = "0 4 16 32 256", .why = "none, some, or all of a loop"},
    {.key = "unroll.size",
     .choices = "50 100 200 400 832 1500 3000",
     .why = "a few reads, to twice what NVIDIA's compiler writes out"},
    {.key = "launch",
     .kind = Kind::logarithmic,
     .low = 500,
     .high = 60000,
     .why = "half a microsecond, to what slow drivers take"},
    {.key = "l2.warm", .choices = "no yes", .why = "either can be"},
    {.key = "model.overlap",
     .kind = Kind::logarithmic,
     .low = 1,
     .high = 16,
     .always = true,
     .why = "bounds one after the other, to nearly the slowest alone"},
});

std::optional<double> number(const std::string& text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

/// "level.L15.latency" for "level.*.latency"; nothing else has a star.
bool names(std::string_view pattern, const std::string& key)
{
    const auto star = pattern.find('*');
    return star == std::string_view::npos
               ? pattern == key
               : key.starts_with(pattern.substr(0, star)) &&
                     key.ends_with(pattern.substr(star + 1)) && key.size() >= pattern.size();
}

std::vector<std::string> words(std::string_view text)
{
    std::istringstream in{std::string(text)};
    std::vector<std::string> list;
    for (std::string word; in >> word;) {
        list.push_back(word);
    }
    return list;
}

Unknown unknown(const PriorRow& row, const Setting& setting, const DeviceProfile& profile)
{
    Unknown one{setting.key, setting.unit, &row, row.low, row.high, words(row.choices)};
    if (row.of_core) {
        one.low *= profile.simulation.machine.cores;
        one.high *= profile.simulation.machine.cores;
    }
    const auto known = profile.values.find(setting.key);
    if (one.is_choice() && known != profile.values.end() &&
        std::ranges::find(one.choices, known->second.text) == one.choices.end()) {
        one.choices.push_back(known->second.text);
        if (std::ranges::all_of(one.choices,
                                [](const auto& text) { return number(text).has_value(); })) {
            std::ranges::sort(one.choices, {}, [](const auto& text) { return *number(text); });
        }
    }
    return one;
}

} // namespace

std::span<const PriorRow> prior_rows()
{
    return rows;
}

std::string Unknown::text(double place) const
{
    if (is_choice()) {
        const auto count = static_cast<double>(choices.size());
        return choices[std::min(choices.size() - 1, static_cast<std::size_t>(place * count))];
    }
    const double value =
        row->kind == Kind::linear ? low + place * (high - low) : low * std::pow(high / low, place);
    // Four digits: the last bit of a power differs from machine to machine.
    return row->whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

double Unknown::place(const std::string& text) const
{
    if (is_choice()) {
        const auto found = std::ranges::find(choices, text);
        const auto at = found == choices.end() ? 0 : found - choices.begin();
        return (static_cast<double>(at) + 0.5) / static_cast<double>(choices.size());
    }
    const double value = number(text).value_or(low);
    const double at = row->kind == Kind::linear
                          ? (value - low) / (high - low)
                          : std::log(std::max(value, low) / low) / std::log(high / low);
    constexpr double below_one = 1 - 1e-9;
    return std::clamp(at, 0.0, below_one);
}

std::vector<Unknown> unknowns_of(const DeviceProfile& profile, const std::vector<std::string>& also,
                                 const std::vector<std::string>& keep)
{
    const std::vector<Setting> settings = profile_keys(profile);
    const auto is_in = [](const std::vector<std::string>& list, const std::string& key) {
        return std::ranges::find(list, key) != list.end();
    };
    for (const std::string& key : also) {
        if (std::ranges::none_of(rows, [&](const PriorRow& row) { return names(row.key, key); })) {
            throw bad_input("nothing says what " + key + " can be", "--free",
                            "name a value that identification can vary");
        }
    }
    std::vector<Unknown> list;
    for (const PriorRow& row : rows) {
        for (const Setting& setting : settings) {
            if (!names(row.key, setting.key) || is_in(keep, setting.key)) {
                continue;
            }
            const auto value = profile.values.find(setting.key);
            const bool there = value != profile.values.end();
            const bool told = there && (value->second.provenance == Provenance::datasheet ||
                                        value->second.provenance == Provenance::driver);
            if (is_in(also, setting.key) || (there ? !told : row.always)) {
                list.push_back(unknown(row, setting, profile));
            }
        }
    }
    return list;
}

} // namespace texelscope::workbench::machines
