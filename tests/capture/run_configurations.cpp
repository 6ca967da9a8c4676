// Runs generated kernels on the first OpenCL device and checks what they compute. Each line of the
// standard input is an operator, its shape, its padding ("-" for none) and a configuration,
// separated by spaces.

#include "codegen/nest/loop_nest.hpp"
#include "workbench/study/checked_run.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

using namespace texelscope::workbench::study;

namespace {

bool passes(const OpenClDevice& device, const std::string& line)
{
    std::istringstream words(line);
    std::string name;
    std::string shape;
    std::string padding;
    std::string configuration;
    words >> name >> shape >> padding >> configuration;
    const Operator op = parse_operator(name, shape, padding == "-" ? "" : padding);
    const Schedule schedule = parse_schedule(configuration);
    const auto values = as_stored(random_inputs(op, 7), schedule.storage);
    RunOptions options;
    options.warm_up = 0;
    options.samples = 1;
    options.native_reads = true;
    const CheckedRun run = run_checked(op, loop_nest(op, schedule), device, values,
                                       make_reference(op, values), options);
    if (run.measurement.status != RunStatus::ok || !run.check.passed) {
        fmt::print(stderr, "{}: {} {} largest error {:.2e}, allowed {:.2e}\n", line,
                   run_word(run.measurement.status), run.measurement.reason, run.check.max_rel,
                   run.check.tolerance);
        return false;
    }
    return true;
}

} // namespace

int main()
{
    try {
        const OpenClDevice device("0");
        bool all = true;
        for (std::string line; std::getline(std::cin, line);) {
            all = passes(device, line) && all;
        }
        return all ? 0 : 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "run_configurations: {}\n", error.what());
        return 2;
    }
}
