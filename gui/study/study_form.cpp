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

void apply_override(DeviceProfile& device, const std::string& text)
{
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw bad_input("'" + text + "' is not KEY=VALUE", "override", "write it like l1.capacity=2048");
    }
    const std::string key = text.substr(0, equals);
    const auto& keys = profile_keys();
    const auto known = std::find_if(keys.begin(), keys.end(), [&](const Setting& s) { return s.key == key; });
    const std::string unit = known == keys.end() ? std::string() : known->unit;
    set_value(device, key, {text.substr(equals + 1), unit, Provenance::assumed, override_source});
}

} // namespace

const std::vector<OperatorChoice>& operator_choices()
{
    constexpr const char* matrix = "M,N,K";
    constexpr const char* image = "N,H,W,CIN,COUT,KH,KW,STRIDE";
    constexpr const char* depthwise = "N,H,W,C,KH,KW,STRIDE";
    constexpr const char* rows = "ROWS,COLS";
    static const std::vector<OperatorChoice> choices{
        {"matmul", matrix, "64,64,64"},
        {"conv2d", image, "1,14,14,32,32,3,3,1"},
        {"dwconv2d", depthwise, "1,28,28,32,3,3,1"},
        {"deconv2d", image, "1,7,7,32,32,3,3,2"},
        {"conv3d", "N,D,H,W,CIN,COUT,KD,KH,KW,STRIDE", "1,4,8,8,16,16,3,3,3,1"},
        {"softmax", rows, "64,256"},
        {"layernorm", rows, "64,256"},
        {"matmul_da", matrix, "64,64,64"},
        {"matmul_db", matrix, "64,64,64"},
        {"conv2d_dx", image, "1,14,14,32,32,3,3,1"},
        {"conv2d_dw", image, "1,14,14,32,32,3,3,1"},
        {"dwconv2d_dx", depthwise, "1,28,28,32,3,3,1"},
        {"dwconv2d_dw", depthwise, "1,28,28,32,3,3,1"},
        {"deconv2d_dx", image, "1,7,7,32,32,3,3,2"},
        {"deconv2d_dw", image, "1,7,7,32,32,3,3,2"},
        {"softmax_dx", rows, "64,256"},
        {"layernorm_dx", rows, "64,256"},
        {"layernorm_dgamma", rows, "64,256"},
        {"layernorm_dbeta", rows, "64,256"},
    };
    return choices;
}

DeviceProfile device_of(const StudyForm& form)
{
    DeviceProfile device = find_profile(form.device);
    for (const std::string& text : form.overrides) {
        if (!text.empty()) {
            apply_override(device, text);
        }
    }
    validate(device.simulation);
    return device;
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
