#include "workbench/tuning/stored_correction.hpp"

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "workbench/tuning/bottleneck_price.hpp"
#include "workbench/tuning/correction_features.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace texelscope::workbench::tuning {

std::vector<CorrectionSample> correction_samples(const std::vector<StoredResult>& rows,
                                                 const DeviceProfile& device, const StopToken& stop)
{
    std::map<std::tuple<std::string, std::string, std::string>, std::size_t> shapes;
    for (const StoredResult& row : rows) {
        shapes.try_emplace({row.op, row.shape, row.padding}, shapes.size());
    }
    std::vector<std::optional<CorrectionSample>> priced(rows.size());
    parallel_for(
        rows.size(), processor_threads(),
        [&](std::size_t i) {
            const StoredResult& row = rows[i];
            if (row.status != RunStatus::ok || !(row.median_ns() > 0)) {
                return;
            }
            try {
                const Operator op = parse_operator(row.op, row.shape, row.padding);
                const Schedule schedule = parse_schedule(row.config);
                if (const auto predicted = bottleneck_price(op, device, schedule, stop)) {
                    priced[i] = {correction_features(schedule,
                                                     bottleneck_kernel(op, schedule, device, stop),
                                                     *predicted),
                                 *predicted, Nanoseconds{row.median_ns()},
                                 shapes.at({row.op, row.shape, row.padding})};
                }
            } catch (const Error&) {
                // What another version measured may be illegal now.
            }
        },
        stop);
    std::vector<CorrectionSample> samples;
    for (std::optional<CorrectionSample>& one : priced) {
        if (one) {
            samples.push_back(std::move(*one));
        }
    }
    return samples;
}

std::optional<MeasuredCorrection> stored_correction(const ResultStore& store, const ResultKey& like,
                                                    const Operator& op, const DeviceProfile& device,
                                                    const StopToken& stop)
{
    constexpr std::size_t most = 32'768;
    ResultFilter filter;
    filter.device = like.device;
    filter.judge = like.judge;
    filter.driver = like.driver;
    std::vector<StoredResult> rows = store.select(filter);
    const StoredResult asked = row_of(like, op, {});
    std::erase_if(rows, [&](const StoredResult& row) {
        return row.op == asked.op && row.shape == asked.shape && row.padding == asked.padding;
    });
    std::ranges::stable_sort(rows, std::greater{}, &StoredResult::timestamp);
    rows.resize(std::min(rows.size(), most));
    const std::vector<CorrectionSample> samples = correction_samples(rows, device, stop);
    return samples.size() < MeasuredCorrection::fewest
               ? std::nullopt
               : std::optional(MeasuredCorrection(samples, stop));
}

} // namespace texelscope::workbench::tuning
