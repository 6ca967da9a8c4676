#include "traces/native/launch_description.hpp"

#include "base/foreign_json.hpp"
#include "base/json_integer.hpp"
#include "traces/native/byte_columns.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace texelscope::traces {
namespace {

using nlohmann::ordered_json;

/// JSON in UTF-8. Names come from programs that need not write UTF-8; their bad bytes become
/// U+FFFD.
std::string text_of(const ordered_json& value)
{
    return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// Runs `read` on the parsed text; whatever is missing or of another type is std::out_of_range.
template <class Read>
auto parsed(const std::string& json, Read read)
{
    try {
        return read(ordered_json::parse(json));
    } catch (const ordered_json::exception& error) {
        throw std::out_of_range("a description is malformed: " + base::json_fault(error));
    }
}

std::array<std::int64_t, 3> three_of(const ordered_json& json)
{
    return {integer_of<std::int64_t>(json.at(0)), integer_of<std::int64_t>(json.at(1)),
            integer_of<std::int64_t>(json.at(2))};
}

/// A count of what was executed, by its name in files.
struct ExecutedMember {
    const char* name;
    std::int64_t ExecutedOperations::*count;
};
constexpr ExecutedMember executed_members[] = {{"floats", &ExecutedOperations::floats},
                                               {"halves", &ExecutedOperations::halves},
                                               {"specials", &ExecutedOperations::specials},
                                               {"integers", &ExecutedOperations::integers},
                                               {"others", &ExecutedOperations::others}};

// Whether all sizes are positive and their product fits into 64 bits.
bool is_positive(const std::array<std::int64_t, 3>& sizes)
{
    std::int64_t volume = 1;
    for (const std::int64_t size : sizes) {
        if (size <= 0 || size > std::numeric_limits<std::int64_t>::max() / volume) {
            return false;
        }
        volume *= size;
    }
    return true;
}

} // namespace

std::optional<ImageKind> image_kind(std::string_view name)
{
    const auto found = std::ranges::find(image_kind_names, name);
    return found == image_kind_names.end()
               ? std::nullopt
               : std::optional(static_cast<ImageKind>(found - image_kind_names.begin()));
}

std::string size_text(const std::array<std::int64_t, 3>& size)
{
    return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
}

TraceTotals empty_totals(const TracedLaunch& launch)
{
    TraceTotals totals;
    totals.reads.resize(launch.images.size());
    totals.writes.resize(launch.images.size());
    totals.buffer_reads.resize(launch.buffers.size());
    totals.buffer_writes.resize(launch.buffers.size());
    return totals;
}

std::int64_t sum_of(const std::vector<std::int64_t>& counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

void check_launch(const TracedLaunch& launch)
{
    require(is_positive(launch.global) && is_positive(launch.local),
            "the global or local size is not positive");
    require(launch.images.size() <= 65536 && launch.buffers.size() <= 65536,
            "a launch has too many objects");
    if (launch.executed) {
        check_executed(*launch.executed);
    }
    for (const TracedImage& image : launch.images) {
        require(image.width > 0 && image.height > 0 && image.depth > 0 && image.bytes_per_texel > 0,
                "the size of an image is not positive");
    }
}

void check_executed(const ExecutedOperations& counts)
{
    constexpr std::int64_t most = std::int64_t{1} << 60; // so that sums of all of them are numbers
    for (const ExecutedMember& member : executed_members) {
        require(counts.*member.count >= 0 && counts.*member.count <= most,
                "a count of what was executed is out of range");
    }
}

void add(TraceTotals& totals, const StepRow& row)
{
    switch (row.kind) {
    case AccessKind::image_read:
        ++totals.reads[row.object];
        break;
    case AccessKind::image_write:
        ++totals.writes[row.object];
        break;
    case AccessKind::buffer_read:
        ++totals.buffer_reads[row.object];
        break;
    case AccessKind::buffer_write:
        ++totals.buffer_writes[row.object];
        break;
    }
    totals.items = std::max(totals.items, std::int64_t{row.item} + 1);
}

std::string to_json(const TracedLaunch& launch)
{
    ordered_json images = ordered_json::array();
    for (const TracedImage& image : launch.images) {
        images.push_back({{"name", image.name},
                          {"width", image.width},
                          {"height", image.height},
                          {"depth", image.depth},
                          {"format", image.format},
                          {"bytes", image.bytes_per_texel},
                          {"argument", image.argument},
                          {"address", image.address_mode == AddressMode::edge ? "edge" : "border"},
                          {"kind", to_string(image.kind)}});
    }
    ordered_json buffers = ordered_json::array();
    for (const TracedBuffer& buffer : launch.buffers) {
        buffers.push_back(
            {{"name", buffer.name}, {"bytes", buffer.bytes}, {"argument", buffer.argument}});
    }
    ordered_json all{{"kernel", launch.kernel}, {"global", launch.global}, {"local", launch.local},
                     {"offset", launch.offset}, {"images", images},        {"buffers", buffers}};
    if (launch.executed) {
        for (const ExecutedMember& member : executed_members) {
            all["executed"][member.name] = *launch.executed.*member.count;
        }
    }
    return text_of(all);
}

std::string to_json(const TraceTotals& totals)
{
    return text_of({{"groups", totals.groups},
                    {"items", totals.items},
                    {"reads", totals.reads},
                    {"writes", totals.writes},
                    {"buffer_reads", totals.buffer_reads},
                    {"buffer_writes", totals.buffer_writes}});
}

std::string program_json(const std::string& program)
{
    return text_of({{"program", program}});
}

TracedLaunch parse_launch(const std::string& json)
{
    const TracedLaunch launch = parsed(json, [](const ordered_json& value) {
        TracedLaunch read;
        read.kernel = value.at("kernel").get<std::string>();
        read.global = three_of(value.at("global"));
        read.local = three_of(value.at("local"));
        read.offset = three_of(value.at("offset"));
        for (const ordered_json& image : value.at("images")) {
            const auto address = image.at("address").get<std::string>();
            require(address == "edge" || address == "border",
                    "an address mode is neither border nor edge");
            // Files of versions before have no kinds.
            const auto kind = image_kind(image.value("kind", std::string("2D")));
            require(kind.has_value(), "a kind of image is not known");
            read.images.push_back(
                {image.at("name").get<std::string>(), integer_of<std::int32_t>(image.at("width")),
                 integer_of<std::int32_t>(image.at("height")),
                 integer_of<std::int32_t>(image.at("depth")), image.at("format").get<std::string>(),
                 integer_of<std::int32_t>(image.at("bytes")),
                 integer_of<std::int32_t>(image.at("argument")),
                 address == "edge" ? AddressMode::edge : AddressMode::border, *kind});
        }
        for (const ordered_json& buffer : value.at("buffers")) {
            read.buffers.push_back({buffer.at("name").get<std::string>(),
                                    integer_of<std::int64_t>(buffer.at("bytes")),
                                    integer_of<std::int32_t>(buffer.at("argument"))});
        }
        // Only where it was counted.
        if (const auto executed = value.find("executed"); executed != value.end()) {
            read.executed.emplace();
            for (const ExecutedMember& member : executed_members) {
                *read.executed.*member.count = integer_of<std::int64_t>(executed->at(member.name));
            }
        }
        return read;
    });
    check_launch(launch);
    return launch;
}

TraceTotals parse_totals(const std::string& json, const TracedLaunch& launch)
{
    const TraceTotals totals = parsed(json, [](const ordered_json& value) {
        const auto count = [&](const char* name) {
            return integer_of<std::int64_t>(value.at(name));
        };
        const auto counts = [&](const char* name) {
            return integers_of<std::int64_t>(value.at(name));
        };
        return TraceTotals{count("groups"),  count("items"),         counts("reads"),
                           counts("writes"), counts("buffer_reads"), counts("buffer_writes")};
    });
    require(totals.reads.size() == launch.images.size() &&
                totals.writes.size() == launch.images.size() &&
                totals.buffer_reads.size() == launch.buffers.size() &&
                totals.buffer_writes.size() == launch.buffers.size(),
            "the totals are those of another launch");
    return totals;
}

std::string parse_program(const std::string& json)
{
    return parsed(json,
                  [](const ordered_json& value) { return value.at("program").get<std::string>(); });
}

} // namespace texelscope::traces
