#pragma once

#include "workbench/store/result_diff.hpp"

#include <string>

namespace texelscope::workbench::store {

/// A JSON result of this program, as a file has it.
struct JsonResult {
    std::string path;
    std::string schema;  ///< with its version: "texelscope.simulate/1"
    std::string program; ///< version of the program that wrote it; empty where it does not say
    /// Every value but the schema and the program's version, each with its path. Members are joined
    /// by dots. The elements of an array are named by their member "name", "config" or "image"
    /// where all elements have one, else by their number. Where a name or a path occurs again, the
    /// second occurrence gets "#2" at its end, and so on. An object with lookups and misses gets a
    /// miss_rate as well.
    ResultLeaves leaves;

    /// "texelscope.simulate"
    [[nodiscard]] std::string schema_name() const { return schema.substr(0, schema.find('/')); }
};

/// `path` is what messages call it. Throws bad_input where the text is not JSON, or is no result of
/// this program.
[[nodiscard]] JsonResult parse_json_result(const std::string& text, const std::string& path);

} // namespace texelscope::workbench::store
