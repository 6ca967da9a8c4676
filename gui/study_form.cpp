#include "gui/study_form.hpp"

#include "traces/error.hpp"

#include <algorithm>
#include <charconv>

namespace texelscope {
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
    set_value(device, key, {text.substr(equals + 1), unit, Provenance::assumed, "set by hand"});
}

} // namespace

const std::vector<OperatorChoice>& operator_choices()
{
    static const std::vector<OperatorChoice> choices{{"matmul", "M,N,K", "64,64,64"}};
    return choices;
}

StudyRequest to_request(const StudyForm& form)
{
    StudyRequest request{
        parse_operator(form.op, form.shape), {}, find_profile(form.device), parse_seed(form.seed), form.rank};
    request.schedule = form.config.empty() ? request.op.default_schedule : parse_schedule(form.config);
    for (const std::string& text : form.overrides) {
        if (!text.empty()) {
            apply_override(request.device, text);
        }
    }
    validate(request.device.simulation);
    check_limits(loop_nest(request.op, request.schedule), request.device);
    return request;
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

} // namespace texelscope
