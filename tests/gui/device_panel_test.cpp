#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "gui/device/device_panel.hpp"
#include "gui/device/profile_model.hpp"
#include "gui/plots/plot_export.hpp"
#include "gui/plots/plot_view.hpp"
#include "gui/study/session.hpp"
#include "gui/study/study_panel.hpp"
#include "workbench/machines/machines_json.hpp"
#include "workbench/probes/kept_probes.hpp"
#include "workbench/probes/probe_plot.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QFont>
#include <QGuiApplication>
#include <QLineEdit>
#include <QTableView>
#include <QTemporaryDir>
#include <algorithm>

using namespace texelscope::gui;

namespace {

DeviceProfile overridden_device()
{
    StudyForm form;
    form.overrides = {"l1.capacity=4096"};
    return to_request(form).device;
}

int row_of(const ProfileModel& model, const std::string& key)
{
    for (std::size_t row = 0; row < model.rows().size(); ++row) {
        if (model.rows()[row].key == key) {
            return static_cast<int>(row);
        }
    }
    FAIL("no key " << key);
    return -1;
}

} // namespace

TEST_CASE("the profile's model has every value with its source")
{
    ProfileModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    CHECK(model.rowCount() == 0);
    const DeviceProfile device = overridden_device();
    model.set_device(device);
    REQUIRE(model.rowCount() == static_cast<int>(profile_keys().size()));
    const auto text = [&](int row, ProfileModel::Column column, int role = Qt::DisplayRole) {
        return model.index(row, column).data(role).toString().toStdString();
    };
    for (int row = 0; row < model.rowCount(); ++row) {
        const Setting& key = profile_keys()[static_cast<std::size_t>(row)];
        CHECK(text(row, ProfileModel::key_column) == key.key);
        CHECK(text(row, ProfileModel::key_column, Qt::ToolTipRole).starts_with(key.about));
        const auto found = device.values.find(key.key);
        if (found == device.values.end()) {
            CHECK(text(row, ProfileModel::from_column) == "default");
            continue;
        }
        CHECK(text(row, ProfileModel::value_column) == found->second.text);
        CHECK(text(row, ProfileModel::unit_column) == found->second.unit);
        CHECK(text(row, ProfileModel::source_column) == found->second.source);
        CHECK(text(row, ProfileModel::source_column, Qt::ToolTipRole) == found->second.source);
        const bool by_hand = key.key == "l1.capacity";
        CHECK(text(row, ProfileModel::from_column) ==
              (by_hand ? "set by hand" : to_string(found->second.provenance)));
        CHECK(model.index(row, 0).data(Qt::FontRole).value<QFont>().bold() == by_hand);
    }
    CHECK(text(row_of(model, "l1.capacity"), ProfileModel::value_column) == "4096");
}

TEST_CASE("the profile's model says what the machines of the device have")
{
    ProfileModel model;
    DeviceProfile device = overridden_device();
    model.set_device(device);
    const auto machines = [&](const std::string& key) {
        return model.index(row_of(model, key), ProfileModel::machines_column)
            .data()
            .toString()
            .toStdString();
    };
    const auto set = machines_of(device);
    REQUIRE(set);
    std::size_t open = 0;
    for (const MachineSet::Value& value : set->values) {
        CAPTURE(value.key);
        if (value.key == "l1.capacity") {
            CHECK(machines(value.key).empty()); // it was set by hand
        } else if (!value.told()) {
            CHECK(machines(value.key) == "open");
            ++open;
        } else {
            CHECK(machines(value.key).starts_with(value.low));
            CHECK(machines(value.key).ends_with(value.high));
        }
    }
    CHECK(open > 0);
    CHECK(machines("warp.size").empty()); // of which nobody is in doubt
    device.machines.clear();
    model.set_device(device);
    CHECK(machines("latency.l2").empty());
}

TEST_CASE("each origin has a colour of its own")
{
    std::vector<QColor> colours;
    for (const ProfileModel::Origin& origin : ProfileModel::origins()) {
        CHECK(std::find(colours.begin(), colours.end(), origin.colour) == colours.end());
        colours.push_back(origin.colour);
    }
    CHECK(colours.size() == 8);
}

TEST_CASE("the device's values are filtered, copied and exported")
{
    Session session;
    DevicePanel panel(session);
    const QTemporaryDir folder;
    const QString csv = folder.filePath("device.csv");
    CHECK_THROWS_AS(panel.export_to(csv.toStdString()), Error);
    panel.show_device(overridden_device());
    const QAbstractItemModel& shown = *panel.findChild<QTableView*>("device_table")->model();
    CHECK(shown.rowCount() == static_cast<int>(profile_keys().size()));
    panel.findChild<QLineEdit*>("device_filter")->setText("L1.CAP");
    REQUIRE(shown.rowCount() == 1);
    panel.copy();
    CHECK(QGuiApplication::clipboard()->text() ==
          "l1.capacity\t4096\t\tB\tset by hand\tset by hand");

    panel.export_to(csv.toStdString());
    QFile file(csv);
    REQUIRE(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    CHECK(bytes.startsWith("key,value,machines,unit,from,source\n"));
    CHECK(bytes.contains("\nl1.capacity,4096,,B,set by hand,set by hand\n"));
    CHECK(bytes.count('\n') == static_cast<int>(profile_keys().size()) + 1);
}
