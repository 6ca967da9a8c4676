#pragma once

#include "networks/graph/array.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::networks {

/// A parameter of a node that is not one of its tensors.
using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                               std::vector<double>, Array>;

/// The attributes of a node, by name. Some attributes became inputs in later versions of ONNX; here
/// they always are attributes, so that every input of a node is a tensor of numbers.
class Attributes {
public:
    void set(const std::string& name, Attribute value) { values_[name] = std::move(value); }
    void erase(const std::string& name) { values_.erase(name); }
    [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
    [[nodiscard]] const std::map<std::string, Attribute>& all() const { return values_; }

    // The attribute of that name, or `otherwise` if there is none. All of these throw bad_input,
    // with the name, if it is of another type.
    [[nodiscard]] std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
    [[nodiscard]] double real(const std::string& name, double otherwise) const;
    [[nodiscard]] std::string word(const std::string& name, const std::string& otherwise) const;
    /// The attribute as a list; a single number counts as a list of one. Empty if there is no such
    /// attribute.
    [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name) const;
    [[nodiscard]] std::vector<double> reals(const std::string& name) const;
    /// The attribute as an array of integers; a list becomes an array of one dimension. Throws
    /// bad_input if there is no such attribute.
    [[nodiscard]] Array integer_array(const std::string& name) const;

    bool operator==(const Attributes&) const = default;

private:
    [[nodiscard]] const Attribute* find(const std::string& name) const;

    std::map<std::string, Attribute> values_;
};

} // namespace texelscope::networks
