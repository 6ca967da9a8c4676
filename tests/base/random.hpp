#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace texelscope::test {

/// Seeded random choices with the same values on every platform (the distributions of <random> are
/// not).
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// Uniform in [min, max].
    std::int64_t between(std::int64_t min, std::int64_t max)
    {
        return min +
               static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(max - min + 1));
    }
    int small(int min, int max) { return static_cast<int>(between(min, max)); }
    bool one_in(int n) { return between(1, n) == 1; }

    template <class T>
    T pick(const std::vector<T>& choices)
    {
        return choices[static_cast<std::size_t>(
            between(0, static_cast<std::int64_t>(choices.size()) - 1))];
    }

    template <class T>
    void shuffle(std::vector<T>& values)
    {
        for (std::size_t i = values.size(); i > 1; --i) {
            std::swap(
                values[i - 1],
                values[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
        }
    }

private:
    std::mt19937_64 engine_;
};

/// A drawn value, of which 0 stands for none.
template <class T>
std::optional<T> unless_0(T value)
{
    return value == T{0} ? std::nullopt : std::optional(value);
}

} // namespace texelscope::test
