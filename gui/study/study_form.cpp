#include "gui/study/study_form.hpp"

#include "base/error.hpp"
#include "gui/study/study_files.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace texelscope::gui {
namespace {

std::uint64_t parse_seed(const std::string& text)
{
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw bad_input("'" + text + "' is not a seed", "seed", "give a whole number from 0 on");
    }
    return seed;
}

} // namespace

DeviceProfile device_of(const StudyForm& form)
{
    std::vector<std::string> overrides = form.overrides;
    std::erase(overrides, std::string());
    return with_overrides(find_profile(form.device), overrides, "override");
}

StudyRequest to_request(const StudyForm& form)
{
    StudyRequest request{
        parse_operator(form.op, form.shape, form.padding), {}, device_of(form), parse_seed(form.seed), form.rank};
    request.schedule = form.config.empty() ? request.op.default_schedule : parse_schedule(form.config);
    check_limits(loop_nest(request.op, request.schedule), request.device);
    return request;
}

StudyForm opened(const std::string& path, const StudyForm& present)
{
    const FileKind kind = file_kind(path);
    if (kind == FileKind::study) {
        return read_study_form(path);
    }
    if (kind != FileKind::profile) {
        throw bad_input("this is neither a study nor a device profile", path, "give one of them");
    }
    (void)read_profile(path);
    StudyForm form = present;
    // A name without a slash and without this ending would be that of a built-in profile.
    form.device = path.ends_with(".xml") ? path : std::filesystem::absolute(path).string();
    form.overrides.clear();
    return form;
}

std::string with_pattern(const std::string& config, std::size_t input, AccessPattern pattern)
{
    Schedule schedule = parse_schedule(config);
    if (input >= schedule.patterns.size()) {
        throw bad_input("no pattern for input " + std::to_string(input + 1), "configuration '" + config + "'",
                        "give one pattern for each input");
    }
    schedule.patterns[input] = pattern;
    return to_string(schedule);
}

} // namespace texelscope::gui
