#include "workbench/report/judged_configurations.hpp"

namespace texelscope::workbench::report {
std::string output_text(const CrosscheckRow& row)
{
    return row.checked ? "passed" : row.reason;
}

ResultTable crosscheck_table(const CrosscheckResult& crosscheck)
{
    ResultTable table{{"configuration", "predicted_ns", "simulated_ns", "measured_ns", "output"},
                      {}};
    for (const CrosscheckRow& row : crosscheck.rows) {
        const ResultTable::Value measured = row.measured ? ResultTable::Value(row.measured->value)
                                                         : ResultTable::Value(std::string());
        table.rows.push_back({to_string(row.schedule), row.predicted.value, row.simulated.value,
                              measured, output_text(row)});
    }
    return table;
}

} // namespace texelscope::workbench::report
