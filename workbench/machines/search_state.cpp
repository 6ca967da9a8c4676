#include "workbench/machines/search_state.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/json_integer.hpp"
#include "base/json_nesting.hpp"
#include "base/sha256.hpp"
#include "workbench/machines/machines_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <utility>

namespace texelscope::workbench::machines {
namespace {

using nlohmann::ordered_json;

constexpr const char* state_schema = "texelscope.machine-search/1";

ordered_json points_json(const std::vector<Point>& points)
{
    ordered_json list = ordered_json::array();
    for (const Point& point : points) {
        // A loss without end is no number of JSON: null.
        list.push_back({{"places", point.places}, {"loss", point.loss}});
    }
    return list;
}

std::vector<Point> points_from(const ordered_json& json)
{
    std::vector<Point> points;
    for (const ordered_json& one : json) {
        points.push_back({one.at("places").get<Places>(), one.at("loss").get<double>()});
    }
    return points;
}

} // namespace

std::string search_digest(const MachinesQuestion& question, const std::vector<Unknown>& unknowns,
                          const std::vector<MeasuredKernel>& kernels)
{
    std::string all =
        fmt::format("{} {} {} {} {}\n", question.search.seed, question.search.machines,
                    question.search.tolerance, question.search.start_anywhere,
                    question.search.evaluations) +
        fmt::format("{} {} {}\n", question.simulated, question.simulated_kernels, question.sample) +
        (question.set ? machines_text(*question.set) : std::string()) + to_xml(question.device);
    for (const Unknown& unknown : unknowns) {
        all += fmt::format("{} {} {}\n", unknown.key, unknown.text(0), unknown.text(1 - 1e-9));
    }
    for (const MeasuredKernel& kernel : kernels) {
        all += fmt::format("{} {} {} {} {}\n", kernel.task, to_string(kernel.schedule), kernel.ns,
                           kernel.clock, static_cast<int>(kernel.copies));
    }
    for (const Figure& figure : question.figures) {
        all += fmt::format("{} {} {}\n", figure.quantity, figure.value, figure.error);
    }
    return sha256(all);
}

std::string search_state_text(const SearchState& state, const std::string& digest)
{
    return ordered_json{
               {"schema", state_schema},        {"of", digest},
               {"priced", state.priced},        {"random", state.random},
               {"limit", state.limit},          {"population", points_json(state.population)},
               {"set", points_json(state.set)}, {"simulated", state.simulated}}
               .dump() +
           "\n";
}

SearchState parse_search_state(const std::string& text, const std::string& digest,
                               const std::string& where)
{
    check_json_nesting(text, where);
    SearchState state;
    std::string of;
    try {
        const ordered_json json = ordered_json::parse(text);
        if (json.at("schema") != state_schema) {
            throw bad_input("it is no state of a search", where);
        }
        of = json.at("of").get<std::string>();
        state.priced = integer_of<std::int64_t>(json.at("priced"));
        state.random = json.at("random").get<std::string>();
        state.limit = json.at("limit").get<double>();
        state.population = points_from(json.at("population"));
        state.set = points_from(json.at("set"));
        for (const ordered_json& machine : json.value("simulated", ordered_json::array())) {
            std::vector<double>& ns = state.simulated.emplace_back();
            // What has no time is no number of JSON: null.
            for (const ordered_json& time : machine) {
                ns.push_back(time.is_null() ? std::nan("") : time.get<double>());
            }
        }
    } catch (const nlohmann::json::exception&) {
        throw bad_input("it is no state of a search", where, "delete it to begin anew");
    }
    if (of != digest) {
        throw bad_input("it is the state of another search", where,
                        "delete it, or ask what was asked then");
    }
    return state;
}

KeptSearch::KeptSearch(std::string path, std::string digest)
    : path_(std::move(path)), digest_(std::move(digest))
{}

SearchState KeptSearch::read() const
{
    return path_.empty() || !std::filesystem::exists(path_)
               ? SearchState{}
               : parse_search_state(std::string(map_file(path_)->view()), digest_, path_);
}

void KeptSearch::write(const SearchState& state) const
{
    if (!path_.empty()) {
        write_file_atomically(path_, search_state_text(state, digest_));
    }
}

} // namespace texelscope::workbench::machines
