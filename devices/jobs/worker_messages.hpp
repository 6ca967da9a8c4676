#pragma once

#include "base/layers.hpp"

#include <functional>
#include <optional>
#include <string>

namespace texelscope::devices {

/// What a process that runs jobs and the one that watches it tell each other over a stream socket.
struct WorkerMessage {
    enum class Kind : char {
        job = 'j',      ///< to the worker; text: a job file of one job
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

/// Writes it whole; false where nobody listens any more. `writable` waits until the socket takes
/// more, and answers false where that is given up; without it the call waits as long as it takes.
[[nodiscard]] bool send(int socket, const WorkerMessage& message,
                        const std::function<bool()>& writable = {});

/// Puts messages together from what a socket delivers piece by piece.
class WorkerMessages {
public:
    void add(const char* bytes, std::size_t count);
    /// The next complete message.
    [[nodiscard]] std::optional<WorkerMessage> next();

private:
    std::string bytes_;
    std::size_t used_ = 0;
};

} // namespace texelscope::devices
