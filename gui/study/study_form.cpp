#include "gui/study/study_form.hpp"

#include "base/error.hpp"
#include "gui/study/study_files.hpp"

#include <filesystem>

namespace texelscope::gui {
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
