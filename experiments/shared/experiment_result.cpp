#include "experiments/shared/experiment_result.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace texelscope::experiments {

std::string to_string(Verdict verdict)
{
    constexpr std::array names{"holds", "does not hold", "not tested"};
    return names[static_cast<std::size_t>(verdict)];
}

double thousandths(double value)
{
    return std::round(value * 1000) / 1000;
}

// Title, conditions, and each finding with the paper's number above ours.
std::string findings_text(const ExperimentResult& result)
{
    std::string out = result.plot.title + "\n\n";
    for (const auto& [name, value] : result.conditions) {
        out += fmt::format("{}: {}\n", name, value);
    }
    for (const Finding& finding : result.findings) {
        out += fmt::format("\n{}: {}\n    paper: {}\n    here:  {}\n", to_string(finding.verdict),
                           finding.claim, finding.paper, finding.ours);
        if (!finding.explanation.empty()) {
            out += fmt::format("    why:   {}\n", finding.explanation);
        }
    }
    return out;
}

} // namespace texelscope::experiments
