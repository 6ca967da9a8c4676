// Documents of our own: profiles and studies in XML, calibrations, probes, experiments and results
// in JSON.

#include "devices/profile/device_profile.hpp"
#include "experiments/kept_experiment.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/fuzz/entries.hpp"
#include "tests/fuzz/property.hpp"
#include "workbench/plots/drawing.hpp"
#include "workbench/probes/kept_probes.hpp"
#include "workbench/probes/tmmodel_samples.hpp"
#include "workbench/store/calibration_json.hpp"
#include "workbench/store/json_result.hpp"
#include "workbench/study/study.hpp"
#include "workbench/study/study_form.hpp"

#include <algorithm>
#include <set>

namespace texelscope::fuzz {
using namespace experiments;

bool profile(std::string_view input)
{
    const auto read =
        accepted([&] { return devices::parse_profile(std::string(input), "profile.xml"); });
    if (!read) {
        return false;
    }
    require(devices::parse_profile(devices::to_xml(*read), "again.xml") == *read,
            "a profile that is written and read again is another one");
    return true;
}

bool study(std::string_view input)
{
    const auto read = accepted([&] { return parse_study_form(std::string(input), "study.xml"); });
    if (!read) {
        return false;
    }
    require(parse_study_form(to_xml(*read), "again.xml") == *read,
            "a study that is written and read again is another one");
    const std::vector<std::string> profiles = devices::profile_names();
    if (read->registers == StudyForm().registers &&
        std::ranges::find(profiles, read->device) != profiles.end()) {
        (void)accepted([&] { return to_request(*read); }); // it may not fit together
    }
    return true;
}

bool calibration(std::string_view input)
{
    const auto read =
        accepted([&] { return parse_calibration(std::string(input), "calibration.json"); });
    if (!read) {
        return false;
    }
    const auto text_of = [](const NamedCalibration& one) {
        nlohmann::ordered_json json = to_json(one);
        json["schema"] = "texelscope.calibration/1";
        return json.dump();
    };
    const std::string written = text_of(*read);
    require(text_of(parse_calibration(written, "again.json")) == written,
            "a calibration that is written and read again is another one");
    return true;
}

bool json_result(std::string_view input)
{
    const auto read =
        accepted([&] { return parse_json_result(std::string(input), "result.json"); });
    if (!read) {
        return false;
    }
    require(read->schema_name().starts_with("texelscope."), "a result has another schema");
    require(diff_results(read->leaves, read->leaves).empty(), "a result is not like itself");
    ResultLeaves other = read->leaves; // the same with other numbers
    int asked = 0;
    for (ResultLeaf& leaf : other) {
        if (auto* const number = std::get_if<double>(&leaf.value)) {
            if (++asked <= 4) {
                (void)accepted([&] { return number_at(read->leaves, leaf.path, "result.json"); });
            }
            *number += 1;
        } else {
            leaf.value = value_text(leaf.value) + "x";
        }
    }
    for (const ResultDiff::Number& number : diff_results(read->leaves, other).numbers) {
        (void)relative_change(number.a, number.b);
    }
    for (const char* text : {"*>+1%", "*.ns>0", "nodes.*.ns>0", "total.ns>+0", "nothing>0"}) {
        const DiffCondition condition = parse_diff_condition(text);
        const auto numbers =
            accepted([&] { return numbers_of(condition, read->leaves, other, "a", "b"); });
        for (std::size_t i = 0; numbers && i < std::min<std::size_t>(numbers->size(), 20); ++i) {
            for (const BlamedRow& row : blamed_rows((*numbers)[i], read->leaves, other)) {
                require(row.share > 0, "a row is blamed that did not change");
            }
        }
    }
    return true;
}

bool probe_record(std::string_view input)
{
    const auto text_of = [](const KeptProbe& kept) {
        return nlohmann::ordered_json{{"settings", kept.settings}, {"record", to_json(kept.record)}}
            .dump();
    };
    const auto read =
        accepted([&] { return parse_probe_record(std::string(input), "probe.json"); });
    if (!read) {
        return false;
    }
    const std::string written = text_of(*read);
    require(text_of(parse_probe_record(written, "again.json")) == written,
            "a record that is written and read again is another one");
    const ProbeResult& samples = read->record.result; // what a calibration would make of them
    (void)accepted([&] { return measured_calibration(samples, &samples, 64); });
    const test::TemporaryFolder files;
    (void)files.write("conditions.json", std::string(input));
    require(read_probe_folder(files.file("")).settings == read->settings,
            "a folder has other settings than its record");
    const KeptProbes folder{read->settings, {read->record}};
    if (const auto target = accepted([&] { return target_of(folder, "folder"); })) {
        require(info_from_json(to_json(*target)).name == target->name,
                "a device that was measured is another one");
    }
    return true;
}

bool experiment(std::string_view input)
{
    const auto read =
        accepted([&] { return parse_experiment_file(std::string(input), "experiment.json"); });
    if (!read) {
        return false;
    }
    (void)to_svg(draw(read->result.plot), read->result.plot.title);
    const std::string written = experiment_file(*read);
    require(experiment_file(parse_experiment_file(written, "again.json")) == written,
            "an experiment that is written and read again is another one");
    return true;
}

} // namespace texelscope::fuzz
