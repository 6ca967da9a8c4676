#include "model/tmmodel/model_variant.hpp"

#include "base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>

namespace texelscope::model {

std::vector<Reading> all_readings()
{
    std::vector<Reading> readings;
    for (const auto strides : {Reading::Strides::total, Reading::Strides::average}) {
        for (const auto counted : {Reading::Counted::work_groups, Reading::Counted::warps,
                                   Reading::Counted::warps_of_core}) {
            for (const auto fits : {Reading::Fits::registers, Reading::Fits::registers_and_units}) {
                for (const auto width : {Reading::Width::distinct, Reading::Width::warp}) {
                    for (const auto sharing :
                         {Reading::Sharing::warp, Reading::Sharing::occupancy_group}) {
                        for (const auto distance :
                             {Reading::Distance::pattern, Reading::Distance::tile}) {
                            readings.push_back({strides, counted, fits, width, sharing, distance});
                        }
                    }
                }
            }
        }
    }
    return readings;
}

std::string to_string(const Reading& reading)
{
    const Reading printed;
    std::vector<std::string> parts;
    const auto say = [&](bool differs, const char* text) {
        if (differs) {
            parts.emplace_back(text);
        }
    };
    say(reading.strides == Reading::Strides::average, "H of a read");
    say(reading.strides == Reading::Strides::fresh, "H over fresh blocks");
    say(reading.counted == Reading::Counted::warps, "warps");
    say(reading.counted == Reading::Counted::warps_of_core, "warps of a core");
    say(reading.fits != printed.fits, "registers and units");
    say(reading.width != printed.width, "w = |W|");
    say(reading.sharing != printed.sharing, "lines of the occupancy group");
    say(reading.distance != printed.distance, "s times the tile");
    return parts.empty() ? "as printed" : fmt::format("{}", fmt::join(parts, "; "));
}

std::string to_string(ModelVariant variant)
{
    constexpr std::array names{"literal", "refined", "reuse-aware", "bottleneck"};
    return names[static_cast<std::size_t>(variant)];
}

ModelVariant parse_model_variant(const std::string& text)
{
    for (const ModelVariant variant : all_model_variants) {
        if (text == to_string(variant)) {
            return variant;
        }
    }
    throw bad_input("unknown variant '" + text + "'", "model",
                    "use literal, refined, reuse-aware or bottleneck");
}

std::string to_string(ModelLevel level)
{
    constexpr std::array names{"thread", "warp", "integrated"};
    return names[static_cast<std::size_t>(level)];
}

Reading best_reading()
{
    return {.counted = Reading::Counted::warps_of_core,
            .fits = Reading::Fits::registers_and_units,
            .width = Reading::Width::warp};
}

} // namespace texelscope::model
