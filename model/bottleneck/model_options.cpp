#include "model/bottleneck/model_options.hpp"

#include "base/error.hpp"
#include "sim/options/setting_table.hpp"

#include <algorithm>

namespace texelscope::model {
namespace {

const std::vector<SettingEntry<ModelOptions>>& model_table()
{
    static const std::vector<SettingEntry<ModelOptions>> entries = [] {
        SettingTable<ModelOptions> table;
        table.number_or_0({"model.overlap", "",
                           "bottleneck model: exponent by which the bounds of a launch are joined, "
                           "1 to 64; 0 = the "
                           "slowest of each round"},
                          &ModelOptions::overlap);
        return std::move(table.entries);
    }();
    return entries;
}

const SettingEntry<ModelOptions>* find_row(const std::string& key)
{
    const auto found =
        std::ranges::find_if(model_table(), [&](const auto& e) { return e.setting.key == key; });
    return found == model_table().end() ? nullptr : &*found;
}

} // namespace

void validate(const ModelOptions& options)
{
    if (options.overlap && !(*options.overlap >= 1)) {
        throw bad_input(fmt::format("{} is below 1", *options.overlap), "model.overlap",
                        "use a larger value");
    }
    if (options.overlap && *options.overlap > 64) {
        throw bad_input(fmt::format("{} is above 64", *options.overlap), "model.overlap",
                        "use a smaller value");
    }
}

const std::vector<Setting>& model_settings()
{
    static const std::vector<Setting> all = settings_of(model_table());
    return all;
}

bool set(ModelOptions& options, const std::string& key, const std::string& value)
{
    const auto* const row = find_row(key);
    if (row != nullptr) {
        write(*row, options, value);
    }
    return row != nullptr;
}

std::string get(const ModelOptions& options, const std::string& key)
{
    return find_row(key)->read(options);
}

} // namespace texelscope::model
