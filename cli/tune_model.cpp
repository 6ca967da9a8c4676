#include "cli/tune_model.hpp"

#include "cli/arguments.hpp"
#include "cli/terminal.hpp"
#include "devices/compilers/kernel_compiler.hpp"

#include <fmt/format.h>

#include <utility>

namespace texelscope::cli {
namespace {

ordered_json json_of(const TuneModel& model)
{
    ordered_json criteria = ordered_json::object();
    for (const SpaceCounts::Condition& criterion : model.pruned->conditions) {
        criteria[criterion.text] = {{"first", criterion.excluded}, {"alone", criterion.alone}};
    }
    ordered_json out{{"kept", model.pruned->kept}, {"criteria", criteria}, {"off", model.off}};
    if (model.shared_once) {
        out["loads"] = "shared-once";
    }
    return out;
}

std::string text_of(const TuneModel& model)
{
    const SpaceCounts& pruned = *model.pruned;
    std::vector<Cells> rows;
    for (const SpaceCounts::Condition& criterion : pruned.conditions) {
        rows.push_back(
            {criterion.text, count_text(criterion.excluded), count_text(criterion.alone)});
    }
    std::string text = model.shared_once ? "nothing is left where each work-item's loads count "
                                           "(--prune-loads each-item): loads that "
                                           "work-items share are counted once\n"
                                         : "";
    text +=
        fmt::format("pruned {} of {} configurations, {} are left\n", count_text(model.excluded()),
                    count_text(pruned.size), count_text(pruned.kept)) +
        format_table({"criterion", "excludes first", "excludes by itself"}, rows);
    for (const std::string& line : model.off) {
        text += "off: " + line + "\n";
    }
    if (pruned.kept == 0) {
        text += "nothing is left to rank: name fewer criteria, or count loads with --prune-loads "
                "shared-once\n";
    }
    return text;
}

} // namespace

void ModelArguments::add_to(CLI::App& parser)
{
    calibration.add_to(parser);
    // An option with an optional list: `--prune` alone means all criteria.
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
        .add_option("--prune-loads", loads,
                    "how the l1 criterion counts: each-item or shared-once (each-item; shared-once "
                    "where that leaves nothing)")
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
    options.counting = loads == "shared-once" ? LoadCounting::shared_once : LoadCounting::each_item;
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
    return pruned ? text_of(*this) : "";
}

void TuneModel::add_to(ordered_json& out) const
{
    out["variant"] = to_string(choice.variant);
    out["variant_because"] = named ? ordered_json() : ordered_json(choice.why);
    out["pruned"] = excluded();
    if (pruned) {
        out["pruning"] = json_of(*this);
    }
}

TuneModel tune_model(const ModelArguments& arguments, const Operator& op,
                     const DeviceProfile& device, ConfigurationSpace space, std::uint64_t seed)
{
    TuneModel model;
    model.named = !arguments.variant.empty();
    model.choice = model.named ? VariantChoice{parse_model_variant(arguments.variant), {}}
                               : default_variant(!arguments.calibration.file.empty());
    model.order.variant = model.choice.variant;
    model.order.calibration = arguments.calibration.of(device, seed);
    model.space = std::move(space);
    if (!arguments.prunes) {
        return model;
    }
    PruningOptions options = arguments.pruning();
    const PruningLimits limits = pruning_limits(device);
    SpaceFootprints footprints(op, model.space, {}, interrupted);
    // Whether a kernel spills registers is known only after compiling it.
    if (device.compiler && options.checks(PruningCriterion::spills)) {
        footprints.compile(device, model.space, interrupted);
    }
    const auto pruned = [&] {
        return narrowed(model.space, pruning_conditions(footprints, limits, options), {},
                        interrupted);
    };
    Narrowed left = pruned();
    // Romou counts the loads of every work-item by themselves. Where the criterion of L1 then
    // leaves nothing, texels that work-items share are counted once instead, and the output says
    // so.
    if (left.counts.kept == 0 && arguments.loads.empty() && options.checks(PruningCriterion::l1)) {
        options.counting = LoadCounting::shared_once;
        model.shared_once = true;
        left = pruned();
    }
    model.pruned = std::move(left.counts);
    model.off = switched_off(limits, options);
    model.space = std::move(left.space);
    return model;
}

} // namespace texelscope::cli
