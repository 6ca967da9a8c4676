#pragma once

#include "networks/onnx/read_onnx.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace texelscope::networks {

/// The shapes of a file's inputs: by OnnxOptions::shapes, by the file, and, of an open first
/// dimension, by OnnxOptions::batch. Kernels are made for fixed shapes.
class InputShapes {
public:
    /// The options must outlive this object. Throws bad_input for shapes of inputs that are not
    /// there, and where two of them say otherwise of a dimension that the file names.
    InputShapes(const OnnxFile& file, const OnnxOptions& options);

    /// Throws bad_input, without the input's name, where its shape is open, or is given otherwise
    /// than the file has it.
    [[nodiscard]] Shape of(const OnnxValue& input) const;

private:
    const OnnxOptions& options_;
    std::map<std::string, std::int64_t> extents_; ///< of dimensions that the file names
};

} // namespace texelscope::networks
