#include "networks/graph/attributes.hpp"

#include "base/error.hpp"

namespace texelscope::networks {
namespace {

Error wrong_type(const std::string& name, const char* wanted)
{
    return bad_input("attribute " + name + " is not " + wanted);
}

} // namespace

const Attribute* Attributes::find(const std::string& name) const
{
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
}

// ONNX has scalars, lists of one and arrays of one for the same thing, depending on the version and
// on whether it is an attribute or an input. All are taken here.
std::int64_t Attributes::integer(const std::string& name, std::int64_t otherwise) const
{
    if (!has(name)) {
        return otherwise;
    }
    const std::vector<std::int64_t> list = integers(name);
    if (list.size() != 1) {
        throw wrong_type(name, "one integer");
    }
    return list.front();
}

double Attributes::real(const std::string& name, double otherwise) const
{
    if (!has(name)) {
        return otherwise;
    }
    const std::vector<double> list = reals(name);
    if (list.size() != 1) {
        throw wrong_type(name, "one number");
    }
    return list.front();
}

std::string Attributes::word(const std::string& name, const std::string& otherwise) const
{
    const Attribute* const found = find(name);
    if (found == nullptr) {
        return otherwise;
    }
    const auto* const text = std::get_if<std::string>(found);
    if (text == nullptr) {
        throw wrong_type(name, "a word");
    }
    return *text;
}

std::vector<std::int64_t> Attributes::integers(const std::string& name) const
{
    return has(name) ? integer_array(name).integers() : std::vector<std::int64_t>{};
}

std::vector<double> Attributes::reals(const std::string& name) const
{
    const Attribute* const found = find(name);
    if (found == nullptr) {
        return {};
    }
    if (const auto* one = std::get_if<double>(found)) {
        return {*one};
    }
    if (const auto* list = std::get_if<std::vector<double>>(found)) {
        return *list;
    }
    const auto* const array = std::get_if<Array>(found);
    if (array == nullptr) {
        throw wrong_type(name, "a list of numbers");
    }
    return std::visit(
        [](const auto& numbers) { return std::vector<double>(numbers.begin(), numbers.end()); },
        array->values);
}

Array Attributes::integer_array(const std::string& name) const
{
    const Attribute* const found = find(name);
    if (found == nullptr) {
        throw bad_input("attribute " + name + " is missing");
    }
    if (const auto* one = std::get_if<std::int64_t>(found)) {
        return {{1}, std::vector{*one}};
    }
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(found)) {
        return {{static_cast<std::int64_t>(list->size())}, *list};
    }
    const auto* const array = std::get_if<Array>(found);
    if (array == nullptr || !array->is_integer()) {
        throw wrong_type(name, "a list of integers");
    }
    return *array;
}

} // namespace texelscope::networks
