#include "workbench/report/prediction_tables.hpp"

#include "workbench/study/study.hpp"

namespace texelscope::workbench::report {

ResultTable inputs_table(const PredictedStudy& study)
{
    ResultTable table{{"image", "pattern", "s", "w", "accesses", "L_t_ns"}, {}};
    const std::vector<ModelKernel::Input>& inputs = study.prediction.kernel.inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        table.rows.push_back({inputs[i].image, inputs[i].pattern, std::int64_t{inputs[i].warp.s},
                              std::int64_t{inputs[i].warp.w}, inputs[i].histogram.accesses,
                              study.cost().thread[i].value});
    }
    return table;
}

ResultTable bounds_table(const PredictedStudy& study)
{
    ResultTable table{{"bound", "ns", "share"}, {}};
    const double all = study.prediction.bottleneck.kernel.value;
    for (const TimePart& part : study.parts) {
        table.rows.push_back({part.name, part.time.value, part.time.value / all});
    }
    return table;
}

} // namespace texelscope::workbench::report
