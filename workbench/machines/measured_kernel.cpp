#include "workbench/machines/measured_kernel.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "workbench/machines/image_copies.hpp"
#include "workbench/store/result_clocks.hpp"
#include "workbench/store/stored_result.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace texelscope::workbench::machines {

ImageCopies foretold_copies(const MeasuredKernel& kernel)
{
    return kernel.copies == CopiesIn::foretold ? image_copies(loop_nest(kernel.op, kernel.schedule))
                                               : ImageCopies{};
}

std::vector<MeasuredKernel> measured_kernels(const std::vector<StoredResult>& results,
                                             const std::string& where)
{
    std::vector<MeasuredKernel> kernels;
    std::map<std::pair<std::string, std::string>, std::size_t> place; // by task and configuration
    std::vector<StoredResult> measured;
    std::ranges::copy_if(results, std::back_inserter(measured), [](const StoredResult& result) {
        return result.key.judge == "device" && result.status == RunStatus::ok &&
               result.median_ns() > 0;
    });
    const std::vector<store::ResultClock> clocks = store::result_clocks(measured);
    for (std::size_t i = 0; i < measured.size(); ++i) {
        const StoredResult& result = measured[i];
        if (!clocks[i].steady) {
            continue;
        }
        MeasuredKernel kernel;
        kernel.op = parse_operator(result.op, result.shape, result.padding);
        kernel.schedule = parse_schedule(result.config);
        kernel.ns = result.median_ns();
        kernel.task = to_string(kernel.op);
        // A result at the highest clock differs from it by noise alone.
        kernel.clock = clocks[i].highest() ? 1 : clocks[i].clock;
        const auto [known, added] =
            place.try_emplace({kernel.task, to_string(kernel.schedule)}, kernels.size());
        if (added) {
            kernels.push_back(std::move(kernel));
        } else {
            kernels[known->second] = std::move(kernel);
        }
    }
    if (kernels.empty()) {
        throw bad_input("it has no kernel that ran on a device with a right output", where,
                        "give what `tune --on` or `results export` wrote");
    }
    return kernels;
}

std::vector<MeasuredKernel> thinned(std::vector<MeasuredKernel> kernels, std::size_t most,
                                    std::uint64_t seed)
{
    if (most == 0) {
        return kernels;
    }
    std::set<std::size_t> kept;
    for (const Task& task : tasks_of(kernels)) {
        std::mt19937_64 random(seed);
        const std::vector<std::size_t> order = shuffled_indices(random, task.kernels.size());
        for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
            kept.insert(task.kernels[order[i]]);
        }
    }
    std::vector<MeasuredKernel> some;
    for (const std::size_t place : kept) {
        some.push_back(std::move(kernels[place]));
    }
    return some;
}

SplitKernels split(std::vector<MeasuredKernel> kernels, const std::vector<std::string>& hold_out)
{
    SplitKernels both;
    for (MeasuredKernel& kernel : kernels) {
        const bool out = std::ranges::any_of(hold_out, [&](const std::string& text) {
            return kernel.task.find(text) != std::string::npos;
        });
        (out ? both.held_out : both.known).push_back(std::move(kernel));
    }
    return both;
}

std::vector<Task> tasks_of(const std::vector<MeasuredKernel>& kernels)
{
    std::map<std::string, std::vector<std::size_t>> by_name;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        by_name[kernels[i].task].push_back(i);
    }
    std::vector<Task> tasks;
    for (auto& [name, places] : by_name) {
        tasks.push_back({name, std::move(places)});
    }
    return tasks;
}

} // namespace texelscope::workbench::machines
