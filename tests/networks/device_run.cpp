#include "tests/networks/device_run.hpp"

#include "base/error.hpp"
#include "networks/execution/network_job.hpp"

#include <stdexcept>

namespace texelscope::networks::test {

std::vector<Reals> run_on(const devices::OpenClDevice& device, const Plan& plan,
                          const std::vector<Reals>& inputs)
{
    const Graph& graph = plan.graph;
    TensorNumbers numbers;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        numbers[graph.inputs[i]] = {inputs[i].values.begin(), inputs[i].values.end()};
    }
    NetworkRunOptions options;
    options.warm_up = 0;
    options.samples = 1;
    for (std::size_t id = 0; id < graph.values.size(); ++id) {
        options.keep.push_back(static_cast<ValueId>(id));
    }
    if (!plan.kernels.empty()) {
        const devices::JobResult result =
            device.run(network_job(plan, numbers, device.best_backend(), device.info(), options));
        if (result.status == devices::RunStatus::unsupported) { // PoCL's limits differ by machine
            throw bad_input(result.reason, device.info().name);
        }
        if (result.status != devices::RunStatus::ok) {
            throw std::runtime_error(result.reason + "\n" + result.build_log);
        }
        numbers.merge(kept_values(plan, options, result));
    }
    for (const auto& [id, constant] : graph.constants) {
        numbers[id] = constant;
    }
    std::vector<Reals> values;
    for (std::size_t id = 0; id < graph.values.size(); ++id) {
        const std::vector<float>& found = numbers[static_cast<ValueId>(id)];
        values.push_back({graph.values[id].shape, {found.begin(), found.end()}});
    }
    return values;
}

} // namespace texelscope::networks::test
