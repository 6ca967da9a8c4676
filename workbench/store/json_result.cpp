#include "workbench/store/json_result.hpp"

#include "base/error.hpp"
#include "base/json_nesting.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace texelscope::workbench::store {
// Any JSON result as a flat list of paths and values, which `diff` compares.
namespace {

using nlohmann::ordered_json;

/// Line of a byte, counted from 1.
std::size_t line_of(const std::string& text, std::size_t byte)
{
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
    return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

/// The names of an array's elements: their member "name", "config" or "image", if all have one, or
/// else their numbers. A name that occurs again gets a number behind it.
std::vector<std::string> keys_of(const ordered_json& array)
{
    for (const char* member : {"name", "config", "image"}) {
        std::map<std::string, int> seen;
        std::vector<std::string> keys;
        for (const ordered_json& element : array) {
            if (element.is_object() && element.contains(member) && element[member].is_string()) {
                const auto name = element[member].get<std::string>();
                const int number = ++seen[name];
                keys.push_back(number == 1 ? name : name + "#" + std::to_string(number));
            }
        }
        if (keys.size() == array.size()) {
            return keys;
        }
    }
    std::vector<std::string> numbers;
    for (std::size_t i = 0; i < array.size(); ++i) {
        numbers.push_back(std::to_string(i));
    }
    return numbers;
}

ResultLeaf::Value value_of(const ordered_json& value)
{
    if (value.is_boolean()) {
        return value.get<bool>();
    }
    if (value.is_number()) {
        // A large integer, such as a seed, may not fit into a double. It is compared by its digits.
        constexpr double exact = 9007199254740992.0; // 2^53
        const auto number = value.get<double>();
        if (value.is_number_integer() && (number > exact || number < -exact)) {
            return value.dump();
        }
        return number;
    }
    return value.is_string() ? ResultLeaf::Value(value.get<std::string>())
                             : ResultLeaf::Value(nullptr);
}

class Flattener {
public:
    void add(const ordered_json& value, const std::string& path)
    {
        const std::string prefix = path.empty() ? "" : path + ".";
        if (value.is_object()) {
            for (const auto& [key, member] : value.items()) {
                if (!path.empty() || (key != "schema" && key != "texelscope")) {
                    add(member, prefix + key);
                }
            }
            add_miss_rate(value, prefix);
        } else if (value.is_array()) {
            const std::vector<std::string> keys = keys_of(value);
            for (std::size_t i = 0; i < value.size(); ++i) {
                add(value[i], prefix + keys[i]);
            }
        } else {
            add_leaf(path, value_of(value));
        }
    }

    [[nodiscard]] ResultLeaves take() { return std::move(leaves_); }

private:
    /// A rate is what people compare, so it is added where only its two counts are there.
    void add_miss_rate(const ordered_json& value, const std::string& prefix)
    {
        const auto is_number = [&](const char* key) {
            return value.contains(key) && value[key].is_number();
        };
        if (is_number("lookups") && is_number("misses") && !value.contains("miss_rate")) {
            const auto lookups = value["lookups"].get<double>();
            add_leaf(prefix + "miss_rate",
                     lookups == 0 ? 0.0 : value["misses"].get<double>() / lookups);
        }
    }

    /// Names with dots can make two paths the same: "l2.lines" beside "lines" in "l2". The second
    /// gets "#2".
    void add_leaf(std::string path, ResultLeaf::Value value)
    {
        for (int number = ++times_[path]; number > 1; number = ++times_[path]) {
            path += "#" + std::to_string(number);
        }
        leaves_.push_back({std::move(path), std::move(value)});
    }

    ResultLeaves leaves_;
    std::map<std::string, int> times_; ///< that a path was there
};

std::string text_member(const ordered_json& object, const char* key)
{
    return object.is_object() && object.contains(key) && object[key].is_string()
               ? object[key].get<std::string>()
               : "";
}

} // namespace

JsonResult parse_json_result(const std::string& bytes, const std::string& path)
{
    base::check_json_nesting(bytes, path);
    ordered_json value;
    try {
        value = ordered_json::parse(bytes);
    } catch (const ordered_json::parse_error& error) {
        throw bad_input("this is not JSON", path + ":" + std::to_string(line_of(bytes, error.byte)),
                        "give a file that --json wrote");
    } catch (const ordered_json::exception&) { // a number that does not fit into a double
        throw bad_input("this is not JSON that texelscope reads", path,
                        "give a file that --json wrote");
    }
    const std::string schema = text_member(value, "schema");
    if (!schema.starts_with("texelscope.")) {
        throw bad_input(schema.empty() ? "there is no schema in it"
                                       : "its schema is '" + schema + "'",
                        path, "give a result of texelscope, written with --json");
    }
    Flattener flattener;
    flattener.add(value, "");
    return {path, schema, text_member(value, "texelscope"), flattener.take()};
}

} // namespace texelscope::workbench::store
