#pragma once

#include <optional>
#include <string>

namespace texelscope::agent {

/// What a worker in a process of its own tells over a pipe.
struct Message {
    enum class Kind : char {
        alive = 'a',    ///< text: milliseconds until the next message at most
        opened = 'o',   ///< text: the device, as write_device() writes it
        started = 's',  ///< the next job
        finished = 'f', ///< text: the result, as result_record() writes it
        missing = 'm',  ///< text: an Error of that kind
        bad_input = 'b' ///< text: an Error of that kind
    };
    Kind kind = Kind::alive;
    std::string text;
};

/// Writes it whole; ends the process where nobody listens any more.
void send(int pipe, Message::Kind kind, const std::string& text = {});

/// Puts messages together from what a pipe delivers piece by piece.
class MessageBuffer {
public:
    void add(const char* bytes, std::size_t count);
    /// The next complete message.
    [[nodiscard]] std::optional<Message> next();

private:
    std::string bytes_;
    std::size_t used_ = 0;
};

} // namespace texelscope::agent
