#include "cli/model_arguments.hpp"

#include "cli/arguments.hpp"

namespace texelscope::cli {
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

ModelQuestion ModelArguments::question(const DeviceProfile& device, std::uint64_t seed) const
{
    ModelQuestion asked;
    asked.variant = calibration.variant(variant);
    asked.calibration = [this, &device, seed] { return calibration.of(device, seed); };
    if (prunes) {
        asked.pruning = pruning();
    }
    asked.counts_again = loads.empty();
    return asked;
}

} // namespace texelscope::cli
