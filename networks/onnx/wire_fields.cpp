#include "networks/onnx/wire_fields.hpp"

#include "base/control_characters.hpp"
#include "base/error.hpp"
#include "base/printable_text.hpp"

namespace texelscope::networks {
namespace {

using protozero::pbf_reader;

template <class Range, class As>
void append(const Range& range, std::vector<As>& to)
{
    for (const auto number : range) {
        to.push_back(static_cast<As>(number));
    }
}

bool is_packed(const pbf_reader& field)
{
    return field.wire_type() == protozero::pbf_wire_type::length_delimited;
}

} // namespace

std::string text_of(pbf_reader& message)
{
    std::string text = message.get_string();
    if (!base::is_utf8(text)) {
        throw bad_input("a name is no UTF-8: '" + base::printable(text) + "'");
    }
    return text;
}

std::string name_of(pbf_reader& message)
{
    std::string name = text_of(message);
    if (has_controls(name)) {
        throw bad_input("a name has control characters: '" + base::printable(name) + "'");
    }
    return name;
}

std::pair<std::string, std::string> entry_of(pbf_reader entry)
{
    std::pair<std::string, std::string> found;
    while (entry.next()) {
        switch (entry.tag_and_type()) {
        case bytes_field(1):
            found.first = text_of(entry);
            break;
        case bytes_field(2):
            found.second = text_of(entry);
            break;
        default:
            entry.skip();
        }
    }
    return found;
}

void read_integers(pbf_reader& field, std::vector<std::int64_t>& to)
{
    if (is_packed(field)) {
        append(field.get_packed_int64(), to);
    } else {
        to.push_back(field.get_int64());
    }
}

void read_floats(pbf_reader& field, std::vector<float>& to)
{
    if (is_packed(field)) {
        append(field.get_packed_float(), to);
    } else {
        to.push_back(field.get_float());
    }
}

void read_doubles(pbf_reader& field, std::vector<float>& to)
{
    if (is_packed(field)) {
        append(field.get_packed_double(), to);
    } else {
        to.push_back(static_cast<float>(field.get_double()));
    }
}

} // namespace texelscope::networks
