#include "cli/study_argument.hpp"

#include "base/error.hpp"
#include "experiments/study/study_form.hpp"

#include <vector>

namespace texelscope::cli {

void complete_by_study(const std::string& file, CLI::App& app)
{
    const StudyForm study = read_study_form(file);
    CLI::App* parser = &app;
    while (!parser->get_subcommands().empty()) {
        parser = parser->get_subcommands().front();
    }
    if (parser->get_option_no_throw("--shape") == nullptr) {
        throw bad_input("--study does not apply here", file,
                        "leave it out, or give it to a subcommand with --op and --shape");
    }
    const auto option = [&](const char* name) {
        CLI::Option* own = parser->get_option_no_throw(name);
        return own != nullptr ? own : app.get_option_no_throw(name);
    };
    const auto given = [&](const char* name) { return option(name) != nullptr && option(name)->count() > 0; };
    // In front of what was given, as the last of two --set for one key counts.
    const auto put_first = [&](const char* name, std::vector<std::string> values) {
        CLI::Option* of = option(name);
        if (of == nullptr || values.empty()) {
            return;
        }
        values.insert(values.end(), of->results().begin(), of->results().end());
        of->clear();
        for (const std::string& value : values) {
            of->add_result(value);
        }
        of->run_callback();
    };
    const auto put = [&](const char* name, const std::string& value) {
        if (!value.empty() && !given(name)) {
            put_first(name, {value});
        }
    };
    if (!given("--op") && !given("--shape")) { // else the study's configuration fits no more
        put("--op", study.op);
        put("--shape", study.shape);
        put("--padding", study.padding);
        put("--config", study.config);
    }
    if (!given("--device")) { // overrides are those of the study's device
        put("--device", study.device);
        put_first("--set", study.overrides);
    }
    put("--seed", study.seed);
}

} // namespace texelscope::cli
