#pragma once

#include "gui/widgets/table.hpp"
#include "workbench/probes/probe_record.hpp"

#include <map>
#include <string>

namespace texelscope::gui {

/// Records by the probe's name.
using ProbeRecords = std::map<std::string, ProbeRecord>;

/// All probes: what each measures, and what became of it.
class ProbeModel : public TableModel {
public:
    enum Column { name_column, about_column, state_column, columns };

    using TableModel::TableModel;

    void set_records(ProbeRecords records);
    [[nodiscard]] const ProbeRecords& records() const { return records_; }

protected:
    [[nodiscard]] std::size_t height() const override { return probes().size(); }
    [[nodiscard]] int width() const override { return columns; }
    [[nodiscard]] bool has_numbers(int /*column*/) const override { return false; }
    [[nodiscard]] QVariant cell(std::size_t row, int column, int role) const override;
    [[nodiscard]] QVariant heading(int column, int role) const override;

private:
    ProbeRecords records_;
};

} // namespace texelscope::gui
