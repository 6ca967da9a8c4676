#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace texelscope::test {

/// A message of Protocol Buffers, taken apart byte by byte as
/// https://protobuf.dev/programming-guides/encoding says, slowly. Throws where it is none.
class ProtobufMessage {
public:
    struct Field {
        std::uint64_t number = 0;
        std::uint64_t bits = 0; ///< of a varint or a fixed number
        std::string bytes;      ///< of a text or a message
    };

    explicit ProtobufMessage(const std::string& message)
    {
        std::size_t at = 0;
        while (at < message.size()) {
            Field field;
            const std::uint64_t tag = varint(message, at);
            field.number = tag / 8;
            switch (tag % 8) {
            case 0:
                field.bits = varint(message, at);
                break;
            case 1:
                field.bits = fixed(message, at, 8);
                break;
            case 2: {
                const std::uint64_t length = varint(message, at);
                if (length > message.size() - at) {
                    throw std::runtime_error("a field ends after its message");
                }
                field.bytes = message.substr(at, length);
                at += length;
                break;
            }
            case 5:
                field.bits = fixed(message, at, 4);
                break;
            default:
                throw std::runtime_error("no such wire type");
            }
            fields.push_back(field);
        }
    }

    std::vector<Field> fields;

    [[nodiscard]] std::vector<Field> all(std::uint64_t number) const
    {
        std::vector<Field> found;
        for (const Field& field : fields) {
            if (field.number == number) {
                found.push_back(field);
            }
        }
        return found;
    }
    [[nodiscard]] bool has(std::uint64_t number) const { return !all(number).empty(); }
    /// The only one of that number. Throws where there is none, or another.
    [[nodiscard]] Field one(std::uint64_t number) const
    {
        if (all(number).size() != 1) {
            throw std::runtime_error("not one field " + std::to_string(number));
        }
        return all(number).front();
    }
    [[nodiscard]] std::string text(std::uint64_t number) const { return one(number).bytes; }
    [[nodiscard]] std::uint64_t integer(std::uint64_t number) const { return one(number).bits; }
    [[nodiscard]] double real(std::uint64_t number) const
    {
        return std::bit_cast<double>(one(number).bits);
    }
    [[nodiscard]] ProtobufMessage message(std::uint64_t number) const
    {
        return ProtobufMessage(one(number).bytes);
    }
    [[nodiscard]] std::vector<ProtobufMessage> messages(std::uint64_t number) const
    {
        std::vector<ProtobufMessage> found;
        for (const Field& field : all(number)) {
            found.emplace_back(field.bytes);
        }
        return found;
    }

private:
    static std::uint64_t byte(const std::string& message, std::size_t& at)
    {
        if (at == message.size()) {
            throw std::runtime_error("a number ends after its message");
        }
        return static_cast<unsigned char>(message[at++]);
    }
    static std::uint64_t varint(const std::string& message, std::size_t& at)
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 70; shift += 7) {
            const std::uint64_t next = byte(message, at);
            value |= shift < 64 ? (next % 128) << shift : 0;
            if (next < 128) {
                return value;
            }
        }
        throw std::runtime_error("a number of more than ten bytes");
    }
    static std::uint64_t fixed(const std::string& message, std::size_t& at, int count)
    {
        std::uint64_t value = 0;
        for (int i = 0; i < count; ++i) {
            value |= byte(message, at) << (8 * i);
        }
        return value;
    }
};

} // namespace texelscope::test
