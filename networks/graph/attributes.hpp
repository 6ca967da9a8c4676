#pragma once

#include "networks/graph/array.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::networks {

/// What a node is told beside its tensors.
using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                               std::vector<double>, Array>;

/// The attributes of a node, by name. Those of ONNX that later versions made inputs are attributes
/// here, too, so that every input of a node is a tensor of numbers.
class Attributes {
public:
    void set(const std::string& name, Attribute value) { values_[name] = std::move(value); }
    [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
    [[nodiscard]] const std::map<std::string, Attribute>& all() const { return values_; }

    // A single one, or `otherwise` where there is none. All throw bad_input, with the name, for one
    // of another type.
    [[nodiscard]] std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
    [[nodiscard]] double real(const std::string& name, double otherwise) const;
    [[nodiscard]] std::string word(const std::string& name, const std::string& otherwise) const;
    /// A list, of a single number one element; empty where there is none.
    [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name) const;
    [[nodiscard]] std::vector<double> reals(const std::string& name) const;
    /// An array of integers; a list has one dimension. Throws bad_input where there is none.
    [[nodiscard]] Array integer_array(const std::string& name) const;

    bool operator==(const Attributes&) const = default;

private:
    [[nodiscard]] const Attribute* find(const std::string& name) const;

    std::map<std::string, Attribute> values_;
};

} // namespace texelscope::networks
