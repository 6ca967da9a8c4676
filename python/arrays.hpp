#pragma once

#include "base/layers.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::python {
namespace nb = nanobind;

/// A NumPy array that can be read only: the numbers stay where they are.
template <class Number>
using ReadArray = nb::ndarray<nb::numpy, const Number>;

/// Numbers of an object of Python's, which lives as long as the array does.
template <class Number>
[[nodiscard]] ReadArray<Number> view(const std::vector<Number>& numbers, nb::handle owner,
                                     std::initializer_list<std::size_t> shape)
{
    return ReadArray<Number>(numbers.data(), shape, owner);
}
template <class Number>
[[nodiscard]] ReadArray<Number> view(const std::vector<Number>& numbers, nb::handle owner)
{
    return view(numbers, owner, {numbers.size()});
}

/// Numbers that nobody else holds, handed over to an array.
template <class Number>
[[nodiscard]] nb::ndarray<nb::numpy, Number> handed_over(std::vector<Number> numbers,
                                                         const std::vector<std::size_t>& shape)
{
    auto held = std::make_unique<std::vector<Number>>(std::move(numbers));
    Number* const data = held->data();
    const nb::capsule owner(held.release(),
                            [](void* p) noexcept { delete static_cast<std::vector<Number>*>(p); });
    return nb::ndarray<nb::numpy, Number>(data, shape.size(), shape.data(), owner);
}

/// What a caller gives, as float32 and row-major.
using FloatArray = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
/// Whatever NumPy makes such an array of. Throws what NumPy raises.
[[nodiscard]] inline FloatArray float_array(const nb::object& given)
{
    return nb::cast<FloatArray>(
        nb::module_::import_("numpy").attr("ascontiguousarray")(given, "float32"));
}
/// Arrays by the name of their tensor.
using GivenArrays = std::map<std::string, nb::object>;
[[nodiscard]] inline std::map<std::string, FloatArray> float_arrays(const GivenArrays& given)
{
    std::map<std::string, FloatArray> arrays;
    for (const auto& [name, array] : given) {
        arrays.emplace(name, float_array(array));
    }
    return arrays;
}

} // namespace texelscope::python
