#include "cli/study_argument.hpp"

#include "base/error.hpp"
#include "experiments/study/study_form.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace texelscope::cli {
namespace {

/// Whether `--name X` or `--name=X` is among the words.
bool has(const std::vector<std::string>& words, const std::string& name)
{
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return word == name || word.starts_with(name + "="); });
}

/// Takes `--study FILE` or `--study=FILE` out of the words; empty where there is none.
std::string take_study(std::vector<std::string>& words)
{
    const std::string name = "--study";
    for (auto word = words.begin(); word != words.end(); ++word) {
        if (word->starts_with(name + "=")) {
            const std::string file = word->substr(name.size() + 1);
            words.erase(word);
            return file;
        }
        if (*word == name && word + 1 != words.end()) {
            const std::string file = *(word + 1);
            words.erase(word, word + 2);
            return file;
        }
    }
    return {};
}

struct Subcommand {
    const CLI::App* parser = nullptr; ///< null: the words name none
    std::size_t end = 0;              ///< number of the word behind its name
};

Subcommand subcommand_of(const std::vector<std::string>& words, const CLI::App& app)
{
    Subcommand found;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const CLI::App& parent = found.parser != nullptr ? *found.parser : app;
        for (const CLI::App* one : parent.get_subcommands([](const CLI::App*) { return true; })) {
            if (one->get_name() == words[i]) {
                found = {one, i + 1};
                break;
            }
        }
    }
    return found;
}

} // namespace

std::vector<std::string> with_study(std::vector<std::string> words, const CLI::App& app)
{
    const std::string file = take_study(words);
    if (file.empty()) {
        return words;
    }
    const StudyForm study = read_study_form(file);
    const auto [subcommand, end] = subcommand_of(words, app);
    const auto knows = [parser = subcommand](const std::string& name) {
        return name == "--seed" || (parser != nullptr && parser->get_option_no_throw(name) != nullptr);
    };
    if (!knows("--shape")) {
        throw bad_input("--study does not apply here", file,
                        "leave it out, or give it to a subcommand with --op and --shape");
    }
    std::vector<std::string> added;
    const auto add = [&](const std::string& name, const std::string& value) {
        if (!value.empty() && knows(name)) {
            added.insert(added.end(), {name, value});
        }
    };
    const auto add_missing = [&](const std::string& name, const std::string& value) {
        if (!has(words, name)) {
            add(name, value);
        }
    };
    const bool own_operator =
        has(words, "--op") || has(words, "--shape"); // then the study's configuration fits no more
    if (!own_operator) {
        add("--op", study.op);
        add("--shape", study.shape);
        add_missing("--padding", study.padding);
        add_missing("--config", study.config);
    }
    if (!has(words, "--device")) { // overrides are those of the study's device
        add("--device", study.device);
        for (const std::string& text : study.overrides) {
            add("--set", text);
        }
    }
    add_missing("--seed", study.seed);
    // In front of those that were given, as the last of two --set for one key counts.
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(end), added.begin(), added.end());
    return words;
}

} // namespace texelscope::cli
