#include "experiments/networks/judged_network.hpp"

#include "model/statistics/kendall.hpp"

namespace texelscope::experiments {

std::string to_string(NetworkJudge judge)
{
    return judge == NetworkJudge::model ? "predicted" : judge == NetworkJudge::simulator ? "simulated" : "measured";
}

std::string judge_name(NetworkJudge judge)
{
    return judge == NetworkJudge::model ? "model" : judge == NetworkJudge::simulator ? "simulator" : "device";
}

bool JudgedNetwork::has(NetworkJudge judge) const
{
    return judge == NetworkJudge::model       ? !planned.predicted.empty()
           : judge == NetworkJudge::simulator ? !simulated.empty()
                                              : measured.has_value();
}

std::vector<std::optional<double>> JudgedNetwork::times(NetworkJudge judge) const
{
    std::vector<std::optional<double>> all(planned.plan.kernels.size());
    for (std::size_t k = 0; has(judge) && k < all.size(); ++k) {
        if (judge == NetworkJudge::model) {
            all[k] = planned.predicted[k].value;
        } else if (judge == NetworkJudge::device) {
            all[k] = measured->kernel_ns[k];
        } else if (simulated[k].time) {
            all[k] = simulated[k].time->value;
        }
    }
    return all;
}

std::optional<double> JudgedNetwork::total(NetworkJudge judge) const
{
    double sum = 0;
    for (const std::optional<double>& time : times(judge)) {
        if (!time) {
            return std::nullopt;
        }
        sum += *time;
    }
    return sum;
}

std::optional<double> JudgedNetwork::agreement(NetworkJudge a, NetworkJudge b) const
{
    const auto of_a = times(a);
    const auto of_b = times(b);
    std::vector<double> left;
    std::vector<double> right;
    for (std::size_t k = 0; k < of_a.size(); ++k) {
        if (of_a[k] && of_b[k]) {
            left.push_back(*of_a[k]);
            right.push_back(*of_b[k]);
        }
    }
    return kendall_tau_b(left, right);
}

} // namespace texelscope::experiments
