#pragma once

#include "workbench/plots/result_table.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <type_traits>

namespace texelscope::python {
using namespace experiments;
namespace nb = nanobind;

/// The table with columns such as "predicted ns" in place of "predicted_ns": in Python all columns
/// have their units so.
[[nodiscard]] ResultTable with_units_apart(ResultTable table);
/// A list with a dict for each row.
[[nodiscard]] nb::list rows_of(const ResultTable& table);
/// The module pandas. Throws ImportError, saying what to install, where it is not there.
[[nodiscard]] nb::object pandas();
/// A pandas.DataFrame. Throws ImportError, saying what to install, where pandas is not there.
[[nodiscard]] nb::object frame_of(const ResultTable& table);
/// What a notebook shows.
[[nodiscard]] std::string html_of(const ResultTable& table, const std::string& heading);

/// Gives a class the members of a table: rows, to_frame(), and how a notebook shows it.
template <class Class>
void add_table_members(nb::class_<Class>& type,
                       ResultTable (*table_of)(const std::type_identity_t<Class>&),
                       std::string (*heading_of)(const std::type_identity_t<Class>&))
{
    type.def_prop_ro(
            "rows", [table_of](const Class& self) { return rows_of(table_of(self)); },
            nb::sig("def rows(self) -> list[dict[str, typing.Any]]"),
            "A dict for each row of the table that a notebook shows; None where a row has no "
            "value.")
        .def(
            "to_frame", [table_of](const Class& self) { return frame_of(table_of(self)); },
            nb::sig("def to_frame(self) -> typing.Any"),
            "The same as a ``pandas.DataFrame``; raises ``ImportError`` where pandas is not "
            "installed.")
        .def("_repr_html_", [table_of, heading_of](const Class& self) {
            return html_of(table_of(self), heading_of(self));
        });
}

} // namespace texelscope::python
