#pragma once

// Fields of ONNX's messages (onnx.proto, ONNX 1.16, whose field numbers are used in this folder) in
// the wire format of Protocol Buffers. Files are not trusted: names must be UTF-8, and a field of
// another type than expected is skipped like an unknown one.

#include "base/layers.hpp"

#include <protozero/pbf_reader.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::networks {

// A field number together with the type on the wire.
constexpr std::uint32_t bytes_field(protozero::pbf_tag_type field)
{
    return protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited);
}
constexpr std::uint32_t number_field(protozero::pbf_tag_type field)
{
    return protozero::tag_and_type(field, protozero::pbf_wire_type::varint);
}
constexpr std::uint32_t float_field(protozero::pbf_tag_type field)
{
    return protozero::tag_and_type(field, protozero::pbf_wire_type::fixed32);
}
constexpr std::uint32_t double_field(protozero::pbf_tag_type field)
{
    return protozero::tag_and_type(field, protozero::pbf_wire_type::fixed64);
}

/// Throws bad_input for what is not UTF-8. All text of an ONNX file has to be, and the names go
/// into the files that are written of a network.
[[nodiscard]] std::string text_of(protozero::pbf_reader& message);
/// The text of a name, which must also be a single line: names become file names and are printed.
[[nodiscard]] std::string name_of(protozero::pbf_reader& message);
/// A StringStringEntryProto: key and value.
[[nodiscard]] std::pair<std::string, std::string> entry_of(protozero::pbf_reader entry);

// Each reads a repeated field, which writers may pack into one run of bytes or write one number at
// a time; both are legal in Protocol Buffers.
void read_integers(protozero::pbf_reader& field, std::vector<std::int64_t>& to);
void read_floats(protozero::pbf_reader& field, std::vector<float>& to);
void read_doubles(protozero::pbf_reader& field, std::vector<float>& to);

} // namespace texelscope::networks
