#include "devices/profile/device_profile.hpp"

#include "base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace texelscope::devices {
namespace {

constexpr std::array<std::pair<Provenance, const char*>, 6> provenance_words{{
    {Provenance::measured, "measured"},
    {Provenance::datasheet, "datasheet"},
    {Provenance::driver, "driver"},
    {Provenance::identified, "identified"},
    {Provenance::inferred, "inferred"},
    {Provenance::assumed, "assumed"},
}};

template <class Integer>
Integer whole_number(const std::string& key, const std::string& text, Integer least = 1)
{
    Integer value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < least) {
        throw bad_input(fmt::format("{} cannot be \"{}\"", key, text), {},
                        fmt::format("give a whole number from {} to {}", least,
                                    std::numeric_limits<Integer>::max()));
    }
    return value;
}

/// True where `key` is a limit (and sets it).
bool set_limit(DeviceLimits& limits, const std::string& key, const std::string& text)
{
    if (key == "limits.image_width") {
        limits.image_width = whole_number<std::int32_t>(key, text);
    } else if (key == "limits.image_height") {
        limits.image_height = whole_number<std::int32_t>(key, text);
    } else if (key == "limits.work_group_size") {
        limits.work_group_size = whole_number<std::int64_t>(key, text);
    } else if (key == "limits.buffer_l1") {
        limits.buffer_l1 = Bytes{whole_number<std::int64_t>(key, text, 0)};
    } else if (key == "limits.buffers_in_l1") {
        if (text != "yes" && text != "no") {
            throw bad_input(fmt::format("{} cannot be \"{}\"", key, text), {}, "give yes or no");
        }
        limits.buffers_in_l1 = text == "yes";
    } else if (key == "limits.local_memory") {
        limits.local_memory = Bytes{whole_number<std::int64_t>(key, text)};
    } else if (key == "limits.local_memory_of_group") {
        limits.local_memory_of_group = Bytes{whole_number<std::int64_t>(key, text)};
    } else if (key == "limits.local_memory_step") {
        limits.local_memory_step = Bytes{whole_number<std::int64_t>(key, text)};
    } else if (key == "limits.local_memory_reserved") {
        limits.local_memory_reserved = Bytes{whole_number<std::int64_t>(key, text, 0)};
    } else if (key == "limits.instruction_cache") {
        limits.instruction_cache = Bytes{whole_number<std::int64_t>(key, text)};
    } else if (key == "limits.registers_per_item") {
        limits.registers_per_item = whole_number<std::int32_t>(key, text);
    } else {
        return false;
    }
    return true;
}

std::string unit_name(const std::string& unit)
{
    return unit.empty() ? "no unit" : fmt::format("unit \"{}\"", unit);
}

} // namespace

std::optional<std::int64_t> DeviceLimits::groups_by_local_memory(std::int64_t bytes) const
{
    if (local_memory_of_group && bytes > local_memory_of_group->value) {
        return 0;
    }
    if (bytes == 0 || !local_memory) {
        return std::nullopt;
    }
    const std::int64_t step = local_memory_step.value_or(Bytes{1}).value;
    const std::int64_t asked = bytes + local_memory_reserved.value_or(Bytes{0}).value;
    return local_memory->value / ((asked + step - 1) / step * step);
}

std::string to_string(Provenance provenance)
{
    const auto* const entry =
        std::find_if(provenance_words.begin(), provenance_words.end(),
                     [&](const auto& word) { return word.first == provenance; });
    return entry->second;
}

Provenance parse_provenance(const std::string& text)
{
    std::vector<std::string> words;
    for (const auto& [provenance, word] : provenance_words) {
        if (text == word) {
            return provenance;
        }
        words.emplace_back(word);
    }
    throw bad_input(fmt::format("a value cannot come from \"{}\"", text), {},
                    fmt::format("use one of {}", fmt::join(words, ", ")));
}

namespace {

std::vector<Setting> with_others(std::vector<Setting> all)
{
    all.insert(all.end(), model_settings().begin(), model_settings().end());
    all.push_back({"limits.image_width", "texels", "widest 2D image"});
    all.push_back({"limits.image_height", "texels", "highest 2D image"});
    all.push_back({"limits.work_group_size", "work-items", "largest work-group"});
    all.push_back({"limits.buffer_l1", "B",
                   "first-level cache of buffer reads; 0 = L1 is for textures only"});
    all.push_back({"limits.buffers_in_l1", "", "yes or no: that cache is the L1 of the images"});
    all.push_back({"limits.local_memory", "B", "local memory of a core"});
    all.push_back(
        {"limits.local_memory_of_group", "B", "local memory that a work-group can ask for"});
    all.push_back(
        {"limits.local_memory_step", "B", "step in which a work-group takes local memory"});
    all.push_back({"limits.local_memory_reserved", "B",
                   "local memory that a work-group takes beside its own"});
    all.push_back({"limits.instruction_cache", "B", "instruction cache of a core"});
    all.push_back({"limits.registers_per_item", "",
                   "most 32-bit registers of a work-item; what needs more spills"});
    return all;
}

} // namespace

const std::vector<Setting>& profile_keys()
{
    static const std::vector<Setting> keys = with_others(settings());
    return keys;
}

std::vector<Setting> profile_keys(const DeviceProfile& profile)
{
    return with_others(settings(profile.simulation.machine));
}

namespace {

/// Nothing where no such key is known.
std::optional<Setting> key_of(const std::string& key)
{
    const auto& keys = profile_keys();
    const auto found = std::ranges::find(keys, key, &Setting::key);
    if (found != keys.end()) {
        return *found;
    }
    return key.starts_with("level.") ? std::optional(setting_of(key)) : std::nullopt;
}

} // namespace

void set_option(DeviceProfile& profile, const std::string& key, const std::string& text)
{
    if (!set_limit(profile.limits, key, text) && !set(profile.model, key, text)) {
        set(profile.simulation, key, text);
    }
}

void set_value(DeviceProfile& profile, const std::string& key, const ProfileValue& value)
{
    const auto setting = key_of(key);
    // An unknown key goes on to set(), whose message names the nearest known one.
    if (setting) {
        if (value.unit != setting->unit) {
            throw bad_input(fmt::format("{} has {}", key, unit_name(value.unit)), {},
                            fmt::format("it takes {}", unit_name(setting->unit)));
        }
        if (value.source.empty()) {
            throw bad_input(fmt::format("{} has no source", key), {},
                            "say in source=\"...\" where the value comes from");
        }
    }
    set_option(profile, key, value.text);
    profile.values.insert_or_assign(key, value);
}

DeviceProfile with_overrides(DeviceProfile profile, const std::vector<std::string>& overrides,
                             const std::string& where)
{
    for (const std::string& text : overrides) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0) {
            throw bad_input("'" + text + "' is not KEY=VALUE", where,
                            "write it like l1.capacity=2048");
        }
        const std::string key = text.substr(0, equals);
        try {
            const auto known = key_of(key);
            set_value(profile, key,
                      {text.substr(equals + 1), known ? known->unit : "", Provenance::assumed,
                       override_source});
        } catch (const Error& error) {
            throw bad_input(error.what(), where + " " + text);
        }
    }
    validate(profile.simulation);
    validate(profile.model);
    return profile;
}

} // namespace texelscope::devices
