#include "tests/fuzz/mutation.hpp"
#include "tests/protobuf_message.hpp"

#include <cstring>
#include <stdexcept>
#include <vector>

namespace texelscope::fuzz {
namespace {

using test::ProtobufMessage;

void put_varint(std::string& out, std::uint64_t value)
{
    for (; value >= 128; value /= 128) {
        out += static_cast<char>(value % 128 + 128);
    }
    out += static_cast<char>(value);
}

/// A field of a message, with its kind on the wire.
struct WireField {
    std::uint64_t number = 0;
    unsigned wire = 0;
    std::uint64_t bits = 0;
    std::string bytes;
};

std::uint64_t take_varint(std::string_view bytes, std::size_t& at)
{
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (at >= bytes.size()) {
            throw std::runtime_error("cut off");
        }
        const auto next = static_cast<unsigned char>(bytes[at++]);
        value |= shift < 64 ? std::uint64_t{next % 128U} << shift : 0;
        if (next < 128) {
            return value;
        }
    }
    throw std::runtime_error("no number");
}

/// Throws std::runtime_error where it is no message.
std::vector<WireField> fields_of(const std::string& message)
{
    (void)ProtobufMessage(message);
    std::vector<WireField> fields;
    for (std::size_t at = 0; at < message.size();) {
        const std::uint64_t tag = take_varint(message, at);
        WireField field{tag / 8, static_cast<unsigned>(tag % 8), 0, {}};
        if (field.wire == 0) {
            field.bits = take_varint(message, at);
        } else {
            const std::size_t size = field.wire == 1   ? 8
                                     : field.wire == 5 ? 4
                                                       : take_varint(message, at);
            field.bytes = message.substr(at, size);
            at += size;
        }
        fields.push_back(std::move(field));
    }
    return fields;
}

std::string message_of(const std::vector<WireField>& fields)
{
    std::string message;
    for (const WireField& field : fields) {
        put_varint(message, field.number * 8 + field.wire);
        if (field.wire == 0) {
            put_varint(message, field.bits);
            continue;
        }
        if (field.wire == 2) {
            put_varint(message, field.bytes.size());
        }
        message += field.bytes;
    }
    return message;
}

void change(WireField& field, Mutation& mutation)
{
    switch (mutation.below(16)) {
    case 0:
        field.number = 1 + mutation.below(25);
        return;
    case 1: // of another kind: a list in place of a number, and the like
        if (field.wire == 0) {
            field.wire = 2;
            put_varint(field.bytes, field.bits);
        } else {
            field.wire = 0;
            field.bits = mutation.number();
        }
        return;
    default:
        break;
    }
    if (field.wire == 0) {
        field.bits = mutation.number();
    } else if (field.wire == 2) {
        field.bytes = mutation.changed(field.bytes);
    } else {
        const std::uint64_t bits = mutation.number();
        std::memcpy(field.bytes.data(), &bits, field.bytes.size());
    }
}

/// A field anywhere in the message.
std::string changed_message(const std::string& message, Mutation& mutation, int depth)
{
    std::vector<WireField> fields;
    try {
        fields = fields_of(message);
    } catch (const std::runtime_error&) {
    }
    if (fields.empty()) {
        return mutation.changed(message);
    }
    const std::size_t at = mutation.below(fields.size());
    const auto here = fields.begin() + static_cast<std::ptrdiff_t>(at);
    switch (mutation.below(16)) {
    case 0:
        fields.erase(here);
        break;
    case 1: {
        const WireField copy = *here;
        fields.insert(
            fields.begin() + static_cast<std::ptrdiff_t>(mutation.below(fields.size() + 1)), copy);
        break;
    }
    case 2:
        std::swap(*here, fields[mutation.below(fields.size())]);
        break;
    case 3: { // what another field of the same message holds
        const WireField& other = fields[mutation.below(fields.size())];
        if (other.wire == here->wire) {
            here->bits = other.bits;
            here->bytes = std::string(other.bytes);
        }
        break;
    }
    default:
        if (here->wire == 2 && here->bytes.size() > 1 && depth > 0 && mutation.below(8) != 0) {
            here->bytes = changed_message(here->bytes, mutation, depth - 1);
        } else {
            change(*here, mutation);
        }
    }
    return message_of(fields);
}

} // namespace

std::string mutate_protobuf(const std::string& input, Mutation& mutation)
{
    constexpr int deepest = 8;
    std::string changed = changed_message(input, mutation, deepest);
    return changed.size() > mutation.most ? input : changed;
}

} // namespace texelscope::fuzz
