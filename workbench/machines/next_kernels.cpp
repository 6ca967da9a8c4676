#include "workbench/machines/next_kernels.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace texelscope::workbench::machines {

std::vector<NextKernel> next_kernels(const MachineSet& set,
                                     const std::vector<std::vector<double>>& ns, std::size_t count,
                                     double error)
{
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < ns.size(); ++k) {
        if (std::ranges::none_of(ns[k], [](double time) { return std::isnan(time); })) {
            places.push_back(k);
        }
    }
    const auto kernels = static_cast<Eigen::Index>(places.size());
    const auto machines = static_cast<Eigen::Index>(set.machines.size());
    Eigen::VectorXd weight(machines);
    Eigen::MatrixXd times(kernels, machines); // logarithms, less their mean
    for (Eigen::Index m = 0; m < machines; ++m) {
        weight[m] = set.machines[static_cast<std::size_t>(m)].weight;
        for (Eigen::Index k = 0; k < kernels; ++k) {
            times(k, m) =
                std::log(ns[places[static_cast<std::size_t>(k)]][static_cast<std::size_t>(m)]);
        }
    }
    weight /= weight.sum();
    const Eigen::VectorXd mean = times * weight;
    times.colwise() -= mean;
    Eigen::MatrixXd covariance = times * weight.asDiagonal() * times.transpose();
    std::vector<NextKernel> chosen;
    const double noise = error * error;
    while (chosen.size() < std::min(count, places.size())) {
        Eigen::Index k = 0;
        const double variance = covariance.diagonal().maxCoeff(&k);
        constexpr double nothing = 1e-12;
        if (variance <= nothing) {
            break;
        }
        chosen.push_back({places[static_cast<std::size_t>(k)], std::sqrt(variance),
                          std::log2(1 + variance / noise) / 2});
        const Eigen::VectorXd with = covariance.col(k);
        covariance -= with * with.transpose() / (variance + noise);
        covariance.row(k).setZero(); // it is measured once
        covariance.col(k).setZero();
    }
    return chosen;
}

} // namespace texelscope::workbench::machines
