#include "workbench/machines/figure.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace texelscope::workbench::machines {
namespace {

std::optional<double> plain_number(const std::string& text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

double factor_on(const std::string& factor, const DeviceProfile& device)
{
    if (const auto value = plain_number(factor)) {
        return *value;
    }
    const std::string text = get(device.simulation, factor);
    const auto value = plain_number(text);
    if (!value) {
        throw bad_input(fmt::format("{} is {}, which is no number", factor, text), "quantity");
    }
    return *value;
}

double positive(const std::string& text, const std::string& where)
{
    const auto value = plain_number(text);
    if (!value || !(*value > 0)) {
        throw bad_input("'" + text + "' is not a number above 0", where);
    }
    return *value;
}

} // namespace

double quantity_on(const std::string& quantity, const DeviceProfile& device)
{
    double product = 1;
    char sign = '*';
    for (std::size_t at = 0; at <= quantity.size();) {
        const std::size_t end = std::min(quantity.find_first_of("*/", at), quantity.size());
        const double factor = factor_on(quantity.substr(at, end - at), device);
        product = sign == '*' ? product * factor : product / factor;
        sign = end < quantity.size() ? quantity[end] : ' ';
        at = end + 1;
    }
    return product;
}

std::vector<Figure> parse_figures(const std::string& text, const std::string& where)
{
    const std::vector<std::vector<std::string>> lines = parse_csv(text, where);
    if (lines.empty() ||
        lines.front() != std::vector<std::string>{"name", "quantity", "value", "error"}) {
        throw bad_input("it does not begin with name,quantity,value,error", where,
                        "write a row for each figure below that line");
    }
    std::vector<Figure> figures;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::string line = fmt::format("{}:{}", where, i + 1);
        if (lines[i].size() != 4) {
            throw bad_input(fmt::format("a row has {} fields", lines[i].size()), line,
                            "write name,quantity,value,error");
        }
        figures.push_back(
            {lines[i][0], lines[i][1], positive(lines[i][2], line), positive(lines[i][3], line)});
    }
    return figures;
}

} // namespace texelscope::workbench::machines
