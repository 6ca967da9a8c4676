#include "base/csv.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace texelscope::base {
namespace {

class CsvReader {
public:
    CsvReader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

    [[nodiscard]] std::vector<std::vector<std::string>> rows()
    {
        std::vector<std::vector<std::string>> all;
        while (at_ < text_.size()) {
            all.push_back(row());
            ++line_;
        }
        return all;
    }

private:
    [[nodiscard]] bool at_end_of_line() const
    {
        return at_ == text_.size() || text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n";
    }

    [[nodiscard]] std::vector<std::string> row()
    {
        std::vector<std::string> fields{field()};
        while (!at_end_of_line()) {
            ++at_; // a comma
            fields.push_back(field());
        }
        if (at_ < text_.size()) {
            at_ += std::size_t{text_[at_] == '\r' ? 2U : 1U};
        }
        return fields;
    }

    [[nodiscard]] std::string field()
    {
        return at_ < text_.size() && text_[at_] == '"' ? quoted() : plain();
    }

    [[nodiscard]] std::string plain()
    {
        const std::size_t begin = at_;
        while (!at_end_of_line() && text_[at_] != ',') {
            if (text_[at_] == '"') {
                throw wrong("a quote within a field");
            }
            ++at_;
        }
        return std::string(text_.substr(begin, at_ - begin));
    }

    [[nodiscard]] std::string quoted()
    {
        const std::int64_t first_line = line_;
        std::string field;
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] != '"') {
                line_ += text_[at_] == '\n' ? 1 : 0;
                field += text_[at_];
            } else if (text_.substr(at_, 2) == "\"\"") {
                field += '"';
                ++at_;
            } else {
                ++at_;
                if (!at_end_of_line() && text_[at_] != ',') {
                    throw wrong("text after a quoted field");
                }
                return field;
            }
        }
        // The line at which the quote was opened, since the end of the file is no help.
        line_ = first_line;
        throw wrong("a quote that is not closed");
    }

    [[nodiscard]] Error wrong(const std::string& what) const
    {
        return bad_input(what, fmt::format("{}, line {}", where_, line_),
                         "quotes within quotes are doubled");
    }

    std::string_view text_;
    const std::string& where_;
    std::size_t at_ = 0;
    std::int64_t line_ = 1;
};

} // namespace

std::string csv_field(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return quoted + "\"";
}

std::vector<std::vector<std::string>> parse_csv(std::string_view text, const std::string& where)
{
    return CsvReader(text, where).rows();
}

} // namespace texelscope::base
