#include "cli/tune_model.hpp"

#include "cli/arguments.hpp"
#include "cli/terminal.hpp"
#include "devices/compilers/kernel_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::cli {
namespace {

ordered_json json_of(const PrunedSpace& pruned, const PruningOptions& options)
{
    ordered_json criteria = ordered_json::object();
    for (const PruningCriterion criterion : all_pruning_criteria) {
        if (options.checks(criterion)) {
            const auto c = static_cast<std::size_t>(criterion);
            criteria[to_string(criterion)] = {{"first", pruned.first[c]},
                                              {"alone", pruned.alone[c]}};
        }
    }
    return {{"kept", pruned.kept_count}, {"criteria", criteria}, {"off", pruned.switched_off}};
}

std::string text_of(const PrunedSpace& pruned, const PruningOptions& options)
{
    std::vector<Cells> rows;
    for (const PruningCriterion criterion : all_pruning_criteria) {
        if (options.checks(criterion)) {
            const auto c = static_cast<std::size_t>(criterion);
            rows.push_back(
                {to_string(criterion), count_text(pruned.first[c]), count_text(pruned.alone[c])});
        }
    }
    std::string text = fmt::format("pruned {} of {} configurations, {} are left\n",
                                   count_text(pruned.size - pruned.kept_count),
                                   count_text(pruned.size), count_text(pruned.kept_count)) +
                       format_table({"criterion", "excludes first", "excludes by itself"}, rows);
    for (const std::string& line : pruned.switched_off) {
        text += "off: " + line + "\n";
    }
    if (pruned.kept_count == 0) {
        text += "nothing is left to rank: name fewer criteria, or count loads with --prune-loads "
                "shared-once\n";
    }
    return text;
}

} // namespace

void ModelArguments::add_to(CLI::App& parser)
{
    calibration.add_to(parser);
    const auto set_prune = [this](const std::vector<std::string>& given) {
        prunes = true;
        prune = given;
        return true;
    };
    parser
        .add_option_function<std::vector<std::string>>(
            "--prune", set_prune,
            "leaves out what Romou's criteria exclude: all, or some of l1, registers, buffer, ...")
        ->delimiter(',')
        ->expected(0, -1)
        ->default_str("all");
    parser
        .add_option("--prune-loads", loads, "how the l1 criterion counts: each-item or shared-once")
        ->check(CLI::IsMember({"each-item", "shared-once"}));
    add_variant(parser, variant);
}

std::vector<std::string> ModelArguments::names()
{
    return {"--prune", "--prune-loads", "--calibration", "--variant"};
}

PruningOptions ModelArguments::pruning() const
{
    PruningOptions options;
    options.counting = loads == "each-item" ? LoadCounting::each_item : LoadCounting::shared_once;
    std::vector<PruningCriterion> named;
    for (const std::string& name : prune) {
        if (name == "all") {
            return options;
        }
        named.push_back(parse_pruning_criterion(name));
    }
    if (!named.empty()) {
        options.criteria = named;
    }
    return options;
}

std::string TuneModel::text() const
{
    return to_string(choice.variant) + (named ? "" : " (" + choice.why + ")");
}

std::string TuneModel::pruning_text() const
{
    return pruned ? text_of(*pruned, pruning) : "";
}

void TuneModel::add_to(ordered_json& out) const
{
    out["variant"] = to_string(choice.variant);
    out["variant_because"] = named ? ordered_json() : ordered_json(choice.why);
    out["pruned"] = excluded();
    if (pruned) {
        out["pruning"] = json_of(*pruned, pruning);
    }
}

TuneModel tune_model(const ModelArguments& arguments, const Operator& op,
                     const DeviceProfile& device, const ConfigurationSpace& space,
                     std::uint64_t seed)
{
    TuneModel model;
    model.named = !arguments.variant.empty();
    model.choice = model.named ? VariantChoice{parse_model_variant(arguments.variant), {}}
                               : default_variant(!arguments.calibration.file.empty());
    model.order.variant = model.choice.variant;
    model.order.calibration = arguments.calibration.of(device, seed);
    model.pruning = arguments.pruning();
    if (arguments.prunes) {
        SpaceFootprints footprints(op, space, {}, interrupted);
        if (device.compiler && model.pruning.checks(PruningCriterion::spills)) {
            footprints.compile(device, space, interrupted);
        }
        model.pruned = prune_space(space, footprints, pruning_limits(device), model.pruning);
        model.order.kept = model.pruned->kept;
    }
    return model;
}

} // namespace texelscope::cli
