#pragma once

#include "base/random.hpp"
#include "model/curves/probe_curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

namespace texelscope::model {

/// Standard normal, by Box and Muller.
inline double normal(std::mt19937_64& random)
{
    const double radius = std::sqrt(-2 * std::log(1 - uniform_real(random)));
    return radius * std::cos(2 * std::numbers::pi * uniform_real(random));
}

enum class NoiseKind { gaussian, student3, outliers, log_normal, exponential };

/// A positive factor around 1 whose spread is about `deviation`.
inline double noise_factor(std::mt19937_64& random, NoiseKind kind, double deviation)
{
    double factor = 1 + deviation * normal(random);
    switch (kind) {
    case NoiseKind::gaussian:
        break;
    case NoiseKind::student3: {
        double squares = 0;
        for (int i = 0; i < 3; ++i) {
            const double value = normal(random);
            squares += value * value;
        }
        factor = 1 + deviation * normal(random) / std::sqrt(squares / 3);
        break;
    }
    case NoiseKind::outliers:
        factor *= uniform_real(random) < 0.05 ? 1 + 3 * uniform_real(random) : 1;
        break;
    case NoiseKind::log_normal:
        factor = std::exp(deviation * normal(random));
        break;
    case NoiseKind::exponential:
        factor = 1 - deviation * std::log(1 - uniform_real(random));
        break;
    }
    return std::max(factor, 0.01);
}

/// Corners of a level: linear between them, constant outside; two of one x make a jump, at which
/// the left holds.
struct Corner {
    double x = 0;
    double y = 0;
};

inline double level_at(const std::vector<Corner>& corners, double x)
{
    if (x <= corners.front().x) {
        return corners.front().y;
    }
    for (std::size_t i = 1; i < corners.size(); ++i) {
        const Corner& a = corners[i - 1];
        const Corner& b = corners[i];
        if (x <= b.x && b.x > a.x) {
            return a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x);
        }
    }
    return corners.back().y;
}

struct NoiseChoice {
    NoiseKind kind = NoiseKind::gaussian;
    double deviation = 0.05;
    int samples = 5;
};

/// A curve at x = 1 .. points around a level.
inline std::vector<ProbePoint> noisy_curve(std::mt19937_64& random,
                                           const std::vector<Corner>& corners, std::size_t points,
                                           const NoiseChoice& noise)
{
    std::vector<ProbePoint> curve(points);
    for (std::size_t i = 0; i < points; ++i) {
        curve[i].x = static_cast<double>(i + 1);
        for (int sample = 0; sample < noise.samples; ++sample) {
            curve[i].samples.push_back(level_at(corners, curve[i].x) *
                                       noise_factor(random, noise.kind, noise.deviation));
        }
    }
    return curve;
}

} // namespace texelscope::model
