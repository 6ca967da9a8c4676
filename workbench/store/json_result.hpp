#pragma once

#include "workbench/store/result_diff.hpp"

#include <string>

namespace texelscope::workbench::store {

/// A JSON result of this program, as a file has it.
struct JsonResult {
    std::string path;
    std::string schema;  ///< with its version: "texelscope.simulate/1"
    std::string program; ///< version of the program that wrote it; empty where it does not say
    /// Every value but schema and program version. Members are joined by dots. The elements of an
    /// array go by their member "name", "config" or "image" where all have one, else by their
    /// number. Of names and of paths that come again, the second has a "#2" behind it, and so on.
    /// An object with lookups and misses has its miss_rate too.
    ResultLeaves leaves;

    /// "texelscope.simulate"
    [[nodiscard]] std::string schema_name() const { return schema.substr(0, schema.find('/')); }
};

/// `path` is what messages call it. Throws bad_input where the text is not JSON, or is no result of
/// this program.
[[nodiscard]] JsonResult parse_json_result(const std::string& text, const std::string& path);

} // namespace texelscope::workbench::store
