#include "cli/touches_output.hpp"

#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/heat_map_output.hpp"
#include "cli/terminal.hpp"
#include "workbench/report/machine_json.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <charconv>

namespace texelscope::cli {
namespace {

/// "IMAGE:X,Y"; the name may contain colons.
ImageTexel parse_texel(const std::string& text, std::span<const Image> images)
{
    const std::size_t colon = text.rfind(':');
    const std::size_t comma = text.rfind(',');
    ImageTexel texel;
    const auto number = [&](std::size_t from, std::size_t to, std::int32_t& value) {
        const auto [end, error] = std::from_chars(text.data() + from, text.data() + to, value);
        return error == std::errc{} && end == text.data() + to;
    };
    if (colon == std::string::npos || comma == std::string::npos || comma < colon ||
        !number(colon + 1, comma, texel.texel.x) ||
        !number(comma + 1, text.size(), texel.texel.y)) {
        throw bad_input("'" + text + "' is not IMAGE:X,Y", "--touches",
                        "for example --touches A:3,0");
    }
    texel.image =
        static_cast<std::uint16_t>(image_number(images, text.substr(0, colon), "--touches"));
    return texel;
}

std::string outcome_text(const LookupOutcome& outcome)
{
    switch (outcome.miss) {
    case MissKind::none:
        return "hit";
    case MissKind::compulsory:
        return "compulsory";
    case MissKind::capacity:
        return "capacity";
    case MissKind::conflict:
        break;
    }
    return "conflict";
}

/// Linear number of the work-item in its group: warps are consecutive work-items.
std::int64_t item_of(const TexelTouch& touch, const TexelTouch::Lane& lane,
                     const TouchesContext& context)
{
    return std::int64_t{touch.warp} * context.warp_size + lane.lane;
}

/// get_global_id() of the work-item. Groups and items are numbered with x fastest, then y, then z.
std::array<std::int64_t, 3> global_id(const TexelTouch& touch, const TexelTouch::Lane& lane,
                                      const TouchesContext& context)
{
    const Dim3 local = context.launch->local;
    const Dim3 groups = context.launch->groups;
    const std::int64_t item = item_of(touch, lane, context);
    return {touch.group % groups[0] * local[0] + item % local[0],
            touch.group / groups[0] % groups[1] * local[1] + item / local[0] % local[1],
            touch.group / groups[0] / groups[1] * local[2] + item / local[0] / local[1]};
}

std::string texel_text(const ImageTexel& texel, const TouchesContext& context)
{
    return fmt::format("{}:{},{}", context.images[texel.image].name, texel.texel.x, texel.texel.y);
}

/// "5, 7-9, ...": numbers of lanes or items, ascending.
std::string ranges_text(const std::vector<std::int64_t>& numbers)
{
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) {
            ++last;
        }
        text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[i]);
        text += last > i ? fmt::format("-{}", numbers[last]) : "";
        i = last + 1;
    }
    return text;
}

std::int64_t not_shown(const TexelTouchObserver& touches)
{
    return touches.count() - static_cast<std::int64_t>(touches.touches().size());
}

} // namespace

void TouchesArguments::add_to(CLI::App& parser)
{
    CLI::Option* const touches =
        parser.add_option("--touches", texel, "lists who read a texel, and when: IMAGE:X,Y");
    parser
        .add_flag("--touches-line", line, "with --touches: whoever read any texel of its L1 line")
        ->needs(touches);
    parser.add_option("--limit", limit, "touches to list")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40))
        ->needs(touches);
}

std::unique_ptr<TexelTouchObserver>
TouchesArguments::observer(std::span<const Image> images, const SimulationOptions& options,
                           const AccessSelection& selection) const
{
    return std::make_unique<TexelTouchObserver>(images, options, parse_texel(texel, images), line,
                                                selection, static_cast<std::size_t>(limit));
}

ordered_json touches_json(const TouchesArguments& arguments, const TexelTouchObserver& touches,
                          const TouchesContext& context)
{
    ordered_json list = ordered_json::array();
    for (const TexelTouch& touch : touches.touches()) {
        ordered_json lanes = ordered_json::array();
        for (const TexelTouch::Lane& lane : touch.lanes) {
            ordered_json one{{"lane", lane.lane}, {"item", item_of(touch, lane, context)}};
            if (context.launch != nullptr) {
                one["global_id"] = global_id(touch, lane, context);
            }
            if (arguments.line) {
                one["texel"] = {lane.texel.x, lane.texel.y};
            }
            lanes.push_back(std::move(one));
        }
        ordered_json lookups = ordered_json::array();
        for (const TexelTouch::Lookup& lookup : touch.lookups) {
            ordered_json one{{"address", lookup.address}, {"l1", outcome_text(lookup.l1)}};
            one["l2"] = ordered_json();
            for (std::size_t level = 0; level < context.behind.size(); ++level) {
                // A lookup that hits does not ask the levels behind.
                const auto* const asked =
                    level < lookup.behind.size() ? lookup.behind.begin() + level : nullptr;
                one[member_of(context.behind[level])] =
                    asked != nullptr ? ordered_json(outcome_text(*asked)) : ordered_json();
            }
            one["evicted"] = ordered_json();
            if (lookup.evicted_from) {
                one["evicted"] = {
                    {"address", *lookup.l1.evicted},
                    {"image", context.images[lookup.evicted_from->image].name},
                    {"texel", {lookup.evicted_from->texel.x, lookup.evicted_from->texel.y}}};
            }
            lookups.push_back(std::move(one));
        }
        list.push_back({{"access", touch.access_index},
                        {"step", touch.step},
                        {"core", touch.core},
                        {"group", touch.group},
                        {"warp", touch.warp},
                        {"lanes", std::move(lanes)},
                        {"lookups", std::move(lookups)}});
    }
    return {{"texel", arguments.texel},
            {"whole_line", arguments.line},
            {"count", touches.count()},
            {"not_listed", not_shown(touches)},
            {"list", std::move(list)}};
}

std::string touches_text(const TouchesArguments& arguments, const TexelTouchObserver& touches,
                         const TouchesContext& context)
{
    std::string text = fmt::format("\n{} warp accesses read {}{}\n", count_text(touches.count()),
                                   arguments.line ? "the L1 line of " : "texel ", arguments.texel);
    if (touches.touches().empty()) {
        return text;
    }
    const bool ids = context.launch != nullptr;
    Cells header{"access", "step", "core", "group", "warp", "lanes"};
    if (ids) {
        header.emplace_back("first work-item");
    }
    if (arguments.line) {
        header.emplace_back("first texel");
    }
    header.emplace_back("L1");
    const Cells behind = context.behind.empty() ? Cells{"L2"} : context.behind;
    header.insert(header.end(), behind.begin(), behind.end());
    header.emplace_back("threw out the line of");
    std::vector<Cells> rows;
    for (const TexelTouch& touch : touches.touches()) {
        std::vector<std::int64_t> lanes;
        for (const TexelTouch::Lane& lane : touch.lanes) {
            lanes.push_back(lane.lane);
        }
        Cells row{std::to_string(touch.access_index), std::to_string(touch.step),
                  std::to_string(touch.core),         std::to_string(touch.group),
                  std::to_string(touch.warp),         ranges_text(lanes)};
        if (ids) {
            const auto id = global_id(touch, touch.lanes.front(), context);
            row.push_back(fmt::format("{},{},{}", id[0], id[1], id[2]));
        }
        if (arguments.line) {
            row.push_back(
                fmt::format("{},{}", touch.lanes.front().texel.x, touch.lanes.front().texel.y));
        }
        std::string l1;
        Cells met(behind.size());
        std::string evicted;
        for (const TexelTouch::Lookup& lookup : touch.lookups) {
            l1 += (l1.empty() ? "" : " ") + outcome_text(lookup.l1);
            for (std::size_t level = 0; level < lookup.behind.size(); ++level) {
                met[level] +=
                    (met[level].empty() ? "" : " ") + outcome_text(lookup.behind.begin()[level]);
            }
            evicted += lookup.evicted_from ? (evicted.empty() ? "" : " ") +
                                                 texel_text(*lookup.evicted_from, context)
                                           : "";
        }
        row.push_back(l1);
        for (const std::string& level : met) {
            row.push_back(level.empty() ? "-" : level);
        }
        row.push_back(evicted.empty() ? "-" : evicted);
        rows.push_back(std::move(row));
    }
    text += format_table(header, rows);
    if (not_shown(touches) > 0) {
        text += fmt::format("and {} more (--limit)\n", count_text(not_shown(touches)));
    }
    return text;
}

} // namespace texelscope::cli
