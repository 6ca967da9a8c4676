#include "cli/described_command.hpp"

#include "base/lists.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/compilers/compiler_gpu.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/experiment.hpp"
#include "networks/models/models.hpp"
#include "workbench/network_studies/policies/layout_policy.hpp"
#include "workbench/tuning/strategy.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace texelscope::cli {
namespace {

template <class Rows>
std::vector<std::string> names_of(const Rows& rows)
{
    return base::mapped(rows, [](const auto& row) { return std::string(row.name); });
}

/// Options whose words are in a table of the library, or not checked by their parser: CLI11 does
/// not know them.
struct Worded {
    std::string_view option;
    std::string_view command; ///< at whose beginning a path has to have it; empty: any
    std::vector<std::string> (*words)();
};
constexpr Worded worded[] = {
    {"--op", "", [] { return codegen::operator_names(); }},
    {"--device", "", [] { return devices::profile_names(); }},
    {"profile", "devices", [] { return devices::profile_names(); }},
    {"--base", "", [] { return devices::profile_names(); }},
    {"--padding", "",
     [] {
         return std::vector<std::string>{"same", "valid"};
     }},
    {"--strategy", "", [] { return names_of(workbench::tuning::all_strategies()); }},
    {"--policy", "", [] { return workbench::network_studies::policy_keys(); }},
    {"--storage", "",
     [] {
         return std::vector<std::string>{"fp32", "fp16"};
     }},
    {"--gpu", "", [] { return names_of(devices::compiler_gpus()); }},
    {"--heatmap-of", "",
     [] {
         return std::vector<std::string>{"reads",    "misses",    "compulsory", "capacity",
                                         "conflict", "evictions", "reuse",      "reuses"};
     }},
    {"--loss", "",
     [] {
         return std::vector<std::string>{"cross-entropy", "mse"};
     }},
    {"--set", "",
     [] {
         std::vector<std::string> keys;
         for (const Setting& key : devices::profile_keys()) {
             keys.push_back(key.key + "=");
         }
         return keys;
     }},
    {"model", "network", [] { return names_of(networks::built_in_models()); }},
    {"name", "experiment",
     [] {
         std::vector<std::string> names = names_of(experiments::all_experiments());
         names.insert(names.end(), {"list", "report"});
         return names;
     }},
};

/// The words that an option's parser checks. CLI11 tells them only as part of the type's name,
/// "TEXT:{border,edge}".
std::vector<std::string> checked_words(const std::string& type)
{
    const std::size_t open = type.find('{');
    const std::size_t close = type.find('}', open);
    return open == std::string::npos || close == std::string::npos
               ? std::vector<std::string>()
               : CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

std::vector<std::string> words_of(const CLI::Option& option, const std::string& name,
                                  const std::string& path)
{
    std::vector<std::string> words = checked_words(option.get_type_name());
    // What the parser checks goes first; the table is for the others.
    for (const Worded& row : worded) {
        if (words.empty() && row.option == name && path.starts_with(row.command)) {
            words = row.words();
        }
    }
    return words;
}

DescribedOption described(const CLI::Option& option, std::vector<std::string> names,
                          bool positional, const std::string& path)
{
    DescribedOption found;
    found.words = words_of(option, names.front(), path);
    found.names = std::move(names);
    found.positional = positional;
    found.about = option.get_description();
    found.takes_value = option.get_items_expected_max() > 0;
    found.otherwise = found.takes_value ? option.get_default_str() : "";
    found.repeatable = option.get_items_expected_max() > 1;
    return found;
}

/// One option of a parser may be a positional argument and have a name as well.
void add_described(std::vector<DescribedOption>& options, const CLI::Option& option,
                   const std::string& path)
{
    if (option.get_positional()) {
        options.push_back(described(option, {option.get_name(true)}, true, path));
    }
    std::vector<std::string> names;
    for (const std::string& name : option.get_lnames()) {
        names.push_back("--" + name);
    }
    for (const std::string& name : option.get_snames()) {
        names.push_back("-" + name);
    }
    if (!names.empty()) {
        options.push_back(described(option, std::move(names), false, path));
    }
}

DescribedCommand described(const CLI::App& parser, const std::string& path)
{
    DescribedCommand command{path, parser.get_description(), {}, {}};
    for (const CLI::Option* const option : parser.get_options()) {
        add_described(command.options, *option, path);
    }
    for (const CLI::App* const below :
         parser.get_subcommands(std::function<bool(const CLI::App*)>())) {
        command.commands.push_back(
            described(*below, path.empty() ? below->get_name() : path + " " + below->get_name()));
    }
    return command;
}

} // namespace

DescribedCommand described(const CLI::App& program)
{
    return described(program, std::string());
}

std::vector<const DescribedCommand*> all_of(const DescribedCommand& command)
{
    std::vector<const DescribedCommand*> all{&command};
    for (const DescribedCommand& below : command.commands) {
        const auto others = all_of(below);
        all.insert(all.end(), others.begin(), others.end());
    }
    return all;
}

} // namespace texelscope::cli
