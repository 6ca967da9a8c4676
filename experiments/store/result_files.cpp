#include "experiments/store/result_files.hpp"

#include "base/error.hpp"
#include "experiments/store/kernel_tuner_cache.hpp"
#include "experiments/store/results_csv.hpp"
#include "experiments/store/run_results.hpp"
#include "experiments/store/t4_results.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <string_view>

namespace texelscope::experiments {
namespace {

/// The names of the members of the outermost object, as far as the text is JSON.
class MemberNames : public nlohmann::json_sax<nlohmann::json> {
public:
    [[nodiscard]] bool has(const std::string& name) const { return names_.contains(name); }

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override
    {
        ++depth_;
        return true;
    }
    bool end_object() override
    {
        --depth_;
        return true;
    }
    bool start_array(std::size_t) override { return start_object(0); }
    bool end_array() override { return end_object(); }
    bool key(string_t& name) override
    {
        if (depth_ == 1) {
            names_.insert(name);
        }
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

private:
    int depth_ = 0;
    std::set<std::string> names_;
};

} // namespace

std::vector<StoredResult> parse_result_file(const std::string& text, const std::string& where)
{
    if (is_results_csv(text)) {
        return parse_results_csv(text, where);
    }
    MemberNames members;
    nlohmann::json::sax_parse(text, &members);
    if (members.has("cache") && members.has("tune_params_keys")) {
        return parse_kernel_tuner_cache(text, where);
    }
    if (members.has("schema_version") && members.has("results")) {
        return parse_t4_results(text, where);
    }
    if (members.has("schema")) {
        return parse_run_results(text, where);
    }
    throw bad_input("this holds no results", where,
                    "give a cache of Kernel Tuner, T4 results, or what results export --csv or run --json wrote");
}

} // namespace texelscope::experiments
