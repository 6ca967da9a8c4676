#include "networks/onnx/input_shapes.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::networks {
namespace {

/// Throws bad_input for a shape that is given otherwise than the file has it.
void check_given(const OnnxValue& input, const Shape& given)
{
    if (!input.shape) {
        return;
    }
    if (input.shape->size() != given.size()) {
        throw bad_input(fmt::format("it has {} dimensions, and {} are given", input.shape->size(),
                                    given.size()));
    }
    for (std::size_t d = 0; d < given.size(); ++d) {
        if (const std::int64_t extent = (*input.shape)[d].extent;
            extent > 0 && extent != given[d]) {
            throw bad_input(fmt::format("dimension {} is {} in the file, and {} is given", d,
                                        extent, given[d]));
        }
    }
}

std::string input_names(const OnnxFile& file)
{
    std::string names;
    for (const OnnxValue& each : file.inputs) {
        if (!file.constants.contains(each.name)) {
            names += (names.empty() ? "" : ", ") + each.name;
        }
    }
    return names;
}

} // namespace

InputShapes::InputShapes(const OnnxFile& file, const OnnxOptions& options) : options_(options)
{
    for (const auto& [name, shape] : options.shapes) {
        const auto input = std::ranges::find(file.inputs, name, &OnnxValue::name);
        if (input == file.inputs.end() || file.constants.contains(name)) {
            throw bad_input("it has no input '" + name + "'", {},
                            "inputs are " + input_names(file));
        }
        for (std::size_t d = 0; input->shape && d < std::min(input->shape->size(), shape.size());
             ++d) {
            const OnnxValue::Dimension& dimension = (*input->shape)[d];
            if (dimension.extent > 0 || dimension.name.empty()) {
                continue;
            }
            const auto [known, fresh] = extents_.emplace(dimension.name, shape[d]);
            if (known->second != shape[d]) {
                throw bad_input(fmt::format("dimension '{}' is {} in one input and {} in another",
                                            dimension.name, known->second, shape[d]),
                                "input '" + name + "'");
            }
        }
    }
}

Shape InputShapes::of(const OnnxValue& input) const
{
    if (const auto given = options_.shapes.find(input.name); given != options_.shapes.end()) {
        check_given(input, given->second);
        return given->second;
    }
    const std::string remedy = fmt::format("give its shape: --shape {}=N,...", input.name);
    if (!input.shape) {
        throw bad_input("its shape is not known", {}, remedy);
    }
    Shape shape;
    for (const OnnxValue::Dimension& dimension : *input.shape) {
        const auto known = extents_.find(dimension.name);
        if (dimension.extent > 0) {
            shape.push_back(dimension.extent);
        } else if (!dimension.name.empty() && known != extents_.end()) {
            shape.push_back(known->second);
        } else if (shape.empty() && options_.batch > 0) {
            shape.push_back(options_.batch);
        } else {
            throw bad_input(
                fmt::format("dimension {}{} is open", shape.size(),
                            dimension.name.empty() ? "" : ", '" + dimension.name + "',"),
                {}, shape.empty() ? "say what it is with --batch N" : remedy);
        }
    }
    return shape;
}

} // namespace texelscope::networks
