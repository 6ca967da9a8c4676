#include "experiments/papers/compared_choices.hpp"

namespace texelscope::experiments {

std::optional<double> ComparedChoices::speedup(Framework framework, TimedChoice ComparedChoices::*ours) const
{
    const std::optional<TimedChoice>& theirs = frameworks[static_cast<std::size_t>(framework)];
    return theirs ? std::optional(theirs->time / (this->*ours).time) : std::nullopt;
}

ComparedChoices compare_choices(const Operator& op, const DeviceProfile& device, const Calibration& calibration,
                                std::span<const Framework> frameworks, const CompareOptions& options,
                                const StopToken& stop)
{
    const ConfigurationSpace space = configuration_space(op, device);
    SimulatedTimes times(op, device, options.sample, stop);
    const auto first_of = [&](ModelVariant variant) {
        return timed(first_of_model(variant, space, calibration, times), times);
    };
    ComparedChoices compared{op,
                             timed(shortlisted(space, times, options.tries), times),
                             first_of(ModelVariant::literal),
                             first_of(ModelVariant::bottleneck),
                             {}};
    for (const Framework framework : frameworks) {
        if (runs(framework, op)) {
            if (const std::optional<Choice> choice = chosen_by(framework, times, options.frameworks)) {
                compared.frameworks[static_cast<std::size_t>(framework)] = timed(choice, times);
            }
        }
    }
    return compared;
}

} // namespace texelscope::experiments
