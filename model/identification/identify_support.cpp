#include "model/identification/identify_support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

namespace texelscope::model {
namespace {

struct Property {
    const char* name;
    std::function<std::string(const TextureCache&)> value;
};

std::string bytes_text(Bytes bytes)
{
    return fmt::format("{} B", bytes.value);
}

} // namespace

std::vector<PropertySupport> property_support(const std::vector<Explanation>& explanations, Extent2D extent,
                                              Bytes bytes_per_texel)
{
    // The layouts' granules take time to find: one look for each layout and size.
    std::map<std::pair<std::string, std::int64_t>, std::string> granules;
    const auto granule = [&](const TextureCache& cache) {
        std::string& text = granules[{to_string(cache.layout), cache.l1.granule().value}];
        if (text.empty()) {
            const Extent2D box = fetch_granule(cache, extent, bytes_per_texel);
            text = fmt::format("{}x{}", box.width, box.height);
        }
        return text;
    };
    const std::array<Property, 9> properties{{
        {"layout", [](const TextureCache& c) { return to_string(c.layout); }},
        {"granule", granule},
        {"capacity", [](const TextureCache& c) { return bytes_text(c.l1.capacity); }},
        {"line", [](const TextureCache& c) { return bytes_text(c.l1.line); }},
        {"sector", [](const TextureCache& c) { return c.l1.sector.value > 0 ? bytes_text(c.l1.sector) : "none"; }},
        {"sets", [](const TextureCache& c) { return fmt::format("{}", c.l1.sets()); }},
        {"ways", [](const TextureCache& c) { return fmt::format("{}", c.l1.ways_per_set()); }},
        {"index",
         [](const TextureCache& c) {
             return c.l1.sets() == 1 ? "none" : c.l1.index == SetIndex::modulo ? "modulo" : "xor";
         }},
        {"replacement", [](const TextureCache& c) { return to_string(c.l1.replacement); }},
    }};
    constexpr double least_shown = 0.01;
    constexpr double negligible = 1e-4; // explanations that cannot lift a value above it
    std::vector<PropertySupport> result;
    for (const Property& property : properties) {
        std::map<std::string, double> support;
        for (const Explanation& explanation : explanations) {
            if (explanation.weight < negligible) {
                continue;
            }
            std::set<std::string> values;
            for (const TextureCache& cache : explanation.equivalents) {
                values.insert(property.value(cache));
            }
            for (const std::string& value : values) {
                support[value] += explanation.weight;
            }
        }
        PropertySupport of_property{property.name, {}};
        for (const auto& [text, weight] : support) {
            if (weight >= least_shown) {
                of_property.values.push_back({text, weight});
            }
        }
        std::stable_sort(of_property.values.begin(), of_property.values.end(),
                         [](const auto& a, const auto& b) { return a.support > b.support; });
        result.push_back(std::move(of_property));
    }
    return result;
}

} // namespace texelscope::model
