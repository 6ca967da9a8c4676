#include "workbench/store/calibration_json.hpp"

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "base/json_nesting.hpp"
#include "model/tmmodel/linear_model.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace texelscope::workbench::store {
// A calibration is kept with every sample that it was fitted to, so that it can be fitted anew,
// judged, and plotted later.
namespace {

using nlohmann::ordered_json;

constexpr const char* schema = "texelscope.calibration/1";

Extent2D shape_from(const ordered_json& json)
{
    return {integer_of<std::int32_t>(json.at(0)), integer_of<std::int32_t>(json.at(1))};
}

FitError error_from(const ordered_json& json)
{
    return {json.at("mape"), json.at("r2"), json.at("worst"),
            integer_of<std::int64_t>(json.at("samples"))};
}

ordered_json model_json(const LinearModel& model)
{
    ordered_json shapes = ordered_json::array();
    for (const Extent2D shape : model.shapes) {
        shapes.push_back({shape.width, shape.height});
    }
    ordered_json tried = ordered_json::array();
    for (const auto& [regression, error] : model.cross_validation) {
        tried.push_back({{"regression", to_string(regression)}, {"error", to_json(error)}});
    }
    return {{"blocks", shapes},
            {"beta", model.beta},
            {"regression", to_string(model.regression)},
            {"ridge_penalty", model.ridge_penalty},
            {"training", to_json(model.training)},
            {"held_out", to_json(model.held_out)},
            {"cross_validation", tried}};
}

LinearModel model_from(const ordered_json& json)
{
    LinearModel model;
    for (const auto& shape : json.at("blocks")) {
        model.shapes.push_back(shape_from(shape));
    }
    model.beta = json.at("beta").get<std::vector<double>>();
    model.regression = parse_regression(json.at("regression"));
    model.ridge_penalty = json.at("ridge_penalty");
    model.training = error_from(json.at("training"));
    model.held_out = error_from(json.at("held_out"));
    for (const auto& tried : json.at("cross_validation")) {
        model.cross_validation.push_back(
            {parse_regression(tried.at("regression")), error_from(tried.at("error"))});
    }
    return model;
}

/// Counts along x and y, in the order of the model's block shapes. `held_out`: for each walk, the
/// time that a model predicts which was fitted without it.
ordered_json walks_json(const std::vector<WalkSample>& walks,
                        const std::vector<Nanoseconds>& held_out)
{
    ordered_json out = ordered_json::array();
    for (std::size_t i = 0; i < walks.size(); ++i) {
        const WalkSample& walk = walks[i];
        std::vector<std::int64_t> x;
        std::vector<std::int64_t> y;
        for (const CrossBlockHistogram::Bin& bin : walk.histogram.bins) {
            x.push_back(bin.x);
            y.push_back(bin.y);
        }
        out.push_back({{"ns", walk.per_access.value},
                       {"held_out_ns", held_out.at(i).value},
                       {"accesses", walk.histogram.accesses},
                       {"x", x},
                       {"y", y}});
    }
    return out;
}

std::vector<WalkSample> walks_from(const ordered_json& json, const std::vector<Extent2D>& shapes)
{
    std::vector<WalkSample> walks;
    for (const auto& one : json) {
        WalkSample walk;
        walk.per_access = Nanoseconds{one.at("ns").get<double>()};
        walk.histogram.accesses = integer_of<std::int64_t>(one.at("accesses"));
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            walk.histogram.bins.push_back({shapes[i], integer_of<std::int64_t>(one.at("x").at(i)),
                                           integer_of<std::int64_t>(one.at("y").at(i))});
        }
        walks.push_back(std::move(walk));
    }
    return walks;
}

/// Files from before there were intervals have no held-out times. They have the walks, though, so
/// the times are worked out again, with the seed that calibrations use.
std::vector<Nanoseconds> held_out_from(const ordered_json& json,
                                       const std::vector<WalkSample>& walks, Regression regression)
{
    if (!walks.empty() && !json.front().contains("held_out_ns")) {
        constexpr std::uint64_t seed = 1;
        return held_out_times(walks, regression, seed);
    }
    std::vector<Nanoseconds> times;
    for (const auto& one : json) {
        times.push_back(Nanoseconds{one.at("held_out_ns").get<double>()});
    }
    return times;
}

StreamPattern pattern_from(const std::string& name, const std::string& path)
{
    const auto* found =
        std::find_if(stream_patterns.begin(), stream_patterns.end(),
                     [&](const StreamPattern& pattern) { return pattern.name == name; });
    if (found == stream_patterns.end()) {
        throw bad_input("there is no pattern '" + name + "'", path, "calibrate again");
    }
    return *found;
}

NamedCalibration calibration_from(const ordered_json& json, const std::string& path)
{
    NamedCalibration out;
    out.device = json.at("device");
    Calibration& calibration = out.calibration;
    calibration.thread = model_from(json.at("thread"));
    calibration.reuse_thread = model_from(json.at("reuse_thread"));
    const ordered_json& thrash = json.at("thrash");
    calibration.thrash = {thrash.at("D"), error_from(thrash.at("training")),
                          error_from(thrash.at("held_out"))};
    calibration.cache_lines = integer_of<std::int64_t>(json.at("cache_lines"));
    calibration.walks = walks_from(json.at("walks"), calibration.thread.shapes);
    calibration.fresh_walks = walks_from(json.at("fresh_walks"), calibration.reuse_thread.shapes);
    calibration.held_out =
        held_out_from(json.at("walks"), calibration.walks, calibration.thread.regression);
    calibration.fresh_held_out = held_out_from(json.at("fresh_walks"), calibration.fresh_walks,
                                               calibration.reuse_thread.regression);
    for (const auto& warp : json.at("warps")) {
        calibration.warps.push_back({pattern_from(warp.at("pattern"), path),
                                     integer_of<std::int32_t>(warp.at("lanes")),
                                     Nanoseconds{warp.at("ns").get<double>()}});
    }
    return out;
}

} // namespace

ordered_json to_json(const FitError& error)
{
    return {
        {"mape", error.mape}, {"r2", error.r2}, {"worst", error.worst}, {"samples", error.samples}};
}

ordered_json to_json(const NamedCalibration& named)
{
    const Calibration& calibration = named.calibration;
    ordered_json warps = ordered_json::array();
    for (const WarpSample& warp : calibration.warps) {
        warps.push_back({{"pattern", std::string(warp.pattern.name)},
                         {"lanes", warp.lanes},
                         {"ns", warp.per_step.value}});
    }
    ordered_json out;
    out["device"] = named.device;
    out["cache_lines"] = calibration.cache_lines;
    out["thread"] = model_json(calibration.thread);
    out["reuse_thread"] = model_json(calibration.reuse_thread);
    out["thrash"] = {{"D", calibration.thrash.d},
                     {"training", to_json(calibration.thrash.training)},
                     {"held_out", to_json(calibration.thrash.held_out)}};
    out["walks"] = walks_json(calibration.walks, calibration.held_out);
    out["fresh_walks"] = walks_json(calibration.fresh_walks, calibration.fresh_held_out);
    out["warps"] = warps;
    return out;
}

std::string calibration_text(const NamedCalibration& calibration)
{
    ordered_json out{{"schema", schema}};
    out.update(to_json(calibration));
    return out.dump();
}

NamedCalibration parse_calibration(const std::string& text, const std::string& path)
{
    base::check_json_nesting(text, path);
    const ordered_json json = ordered_json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object() ||
        json.value("schema", ordered_json()) != schema) {
        throw bad_input("this is no calibration", path,
                        "give one that texelscope calibrate -o has written");
    }
    try {
        return calibration_from(json, path);
    } catch (const nlohmann::json::exception&) {
        throw bad_input("something is missing in this calibration", path, "calibrate again");
    }
}

} // namespace texelscope::workbench::store
