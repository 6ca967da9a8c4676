#include "workbench/probes/profile/measured_profile.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace texelscope::workbench::probes {
namespace {

/// Counts as they are, anything else to four digits.
std::string number_text(double value)
{
    const bool whole = value == std::floor(value) || std::abs(value) >= 1000;
    return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

class ProfileMaker {
public:
    ProfileMaker(DeviceProfile base, std::string source)
        : profile_(std::move(base)), source_(std::move(source))
    {}

    void set(const std::string& key, const std::string& text, Provenance from,
             const std::string& how)
    {
        // Findings that are no keys of a profile (rates by format, say) are left out.
        const auto known = std::ranges::find(profile_keys(), key, &Setting::key);
        if (known != profile_keys().end()) {
            set_value(profile_, key,
                      {text, known->unit, from, fmt::format("{}: {}", source_, how)});
        }
    }
    void answer(const std::string& key, double value)
    {
        if (value > 0) {
            set(key, number_text(value), Provenance::datasheet, "the driver's answer");
        }
    }
    [[nodiscard]] DeviceProfile& profile() { return profile_; }

private:
    DeviceProfile profile_;
    std::string source_;
};

const ProbeFinding* find(const std::vector<ProbeFinding>& findings, const std::string& key)
{
    // Searched from the end: the latest finding of a key counts.
    const auto found =
        std::find_if(findings.rbegin(), findings.rend(),
                     [&](const ProbeFinding& finding) { return finding.key == key; });
    return found == findings.rend() ? nullptr : &*found;
}

/// The layout of the lines that were found; empty where there are none, or lines of one texel.
std::string line_layout(const std::vector<ProbeFinding>& findings)
{
    const ProbeFinding* const width = find(findings, "l1.line.width");
    const ProbeFinding* const height = find(findings, "l1.line.height");
    if (width == nullptr || height == nullptr) {
        return {};
    }
    std::string layout = fmt::format("{:.0f}x{:.0f}:row", width->value, height->value);
    const ProbeFinding* const tagged_width = find(findings, "l1.tag.width");
    const ProbeFinding* const tagged_height = find(findings, "l1.tag.height");
    if (tagged_width != nullptr && tagged_height != nullptr) {
        layout += fmt::format(",{:.0f}x{:.0f}:row", tagged_width->value / width->value,
                              tagged_height->value / height->value);
    }
    return layout + ",row";
}

} // namespace

DeviceProfile measured_profile(DeviceProfile base, const TargetInfo& info,
                               const std::vector<ProbeFinding>& findings, const std::string& source)
{
    base.of = info.simulated ? "" : info.name;
    ProfileMaker maker(std::move(base), source);
    maker.answer("cores", info.compute_units);
    maker.answer("clock", info.clock_mhz);
    maker.answer("limits.image_width", info.largest_image.width);
    maker.answer("limits.image_height", info.largest_image.height);
    maker.answer("limits.work_group_size", static_cast<double>(info.max_work_group));
    if (const std::string layout = line_layout(findings);
        !layout.empty() && !maker.profile().values.contains("layout")) {
        maker.set(
            "layout", layout, Provenance::inferred,
            "the sides of a line and its sectors were measured, the order within them was not");
    }
    for (const ProbeFinding& finding : findings) {
        // Keys of a profile that are cycles are whole numbers.
        const double value = finding.unit == "cycles" ? std::round(finding.value) : finding.value;
        maker.set(finding.key, number_text(value), Provenance::measured, finding.how);
    }
    try {
        validate(maker.profile().simulation);
    } catch (const Error& error) {
        throw bad_input(fmt::format("what was measured makes no profile: {}", error.what()), source,
                        "give a base that fits, or measure again");
    }
    return std::move(maker.profile());
}

} // namespace texelscope::workbench::probes
