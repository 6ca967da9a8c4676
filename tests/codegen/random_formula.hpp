#pragma once

#include "tests/base/random.hpp"

#include <string>
#include <utility>
#include <vector>

namespace texelscope::test {

/// Formulas of every kind that kernels can be: products of one to three factors, functions in and
/// behind the sum, maxima and products, padding, strides, dilations, quotients in indices, and
/// gradients. Behind each, its sizes; a, b, c and d stand for random ones.
inline const std::vector<std::pair<std::string, std::string>> formulas{
    {"O[m,n] = sum(k) A[m,k] * B[k,n]", "a,b,c"},
    {"O[n,h,w,o] = sum(kh,kw,c) X[n, h+kh-1, w+kw-1, c] * W[kh,kw,c,o]", "1,a,b,c,3,3,d"},
    {"O[n,h,w,g,o] = sum(kh:3,kw:3,c) X[n,h+kh-1,w+kw-1,g,c] * W[g,kh,kw,c,o]", "1,a,b,3,c,d"},
    {"O[h,w,o] = sum(kh:3,kw:3,c) X[h+2*kh-2,w+2*kw-2,c] * W[kh,kw,c,o]", "a,b,c,d"},
    {"O[h,w,o] = sum(kh:5,kw:3,c) X[2*h+kh-1 : H, 3*w+kw : W, c] * W[kh,kw,c,o]", "a,b,c,d,19,23"},
    {"O[b,o] = sum(i,j) X[b,i] * A[o,i,j] * Y[b,j]", "a,b,c,d"},
    {"S[h,i,j] = sum(d) Q[h,i,d] * K[h,j,d] / 8", "3,a,b,c"},
    {"P[h,w,c] = max(kh:3,kw:3) X[h+kh-1, w+kw-1, c]", "a,b,c"},
    {"P[h,c] = min(k:3) X[2*h+k-1, c] - Y[c]", "a,b"},
    {"P[i,j] = prod(k:3) A[i,j+k-1] * B[j]", "a,b"},
    {"Y[i,j] = X[i,j] / (1 + exp(-X[i,j])) + R[i,j] * G[j]", "a,b"},
    {"D[i,j] = sqrt(sum(k) (A[i,k]-B[j,k]) * (A[i,k]-B[j,k]))", "a,b,c"},
    {"L[i] = log(sum(k) exp(X[i,k]))", "a,b"},
    {"Z[i,j] = sum(k) max(A[i,k], B[k,j]) + 0.5", "a,b,c"},
    {"R[i,j] = relu(sum(k) A[i,k] * B[k,j] + C[j]) * S[i] + T[i,j]", "a,b,c"},
    {"U[h,w,c] = X[h/2, w/2, c] + Y[h,w,c]", "a,b,c"},
    {"V[h,w,c] = sum(k:5) X[(h+k)/2, w, (c+k)%4 : 4] * W[k]", "a,b,c"},
    {"d X of O[n,h,w,o] = sum(kh,kw,c) X[n, h+kh-1, w+kw-1, c] * W[kh,kw,c,o]", "1,a,b,c,3,3,d"},
    {"d W of O[n,h,w,o] = sum(kh,kw,c) X[n, h+kh-1, w+kw-1, c] * W[kh,kw,c,o]", "1,a,b,c,3,3,d"},
    {"d X of O[h,w,o] = sum(kh:5,kw:3,c) X[2*h+kh-1 : H, 3*w+kw : W, c] * W[kh,kw,c,o]",
     "a,b,c,d,19,23"},
    {"d A of O[b,o] = sum(i,j) X[b,i] * A[o,i,j] * Y[b,j]", "a,b,c,d"},
    {"d X of O[h,o] = sum(k:3,c) X[h+2*k-2,c] * W[k,c,o]", "a,b,c"},
    {"d B of O[i,j] = -A[i,j] * B[j] / 2", "a,b"},
};

/// The shape of a formula with random sizes in place of the letters.
inline std::string random_sizes(Random& random, const std::string& sizes)
{
    std::string shape;
    for (const char c : sizes) {
        shape += c >= 'a' && c <= 'd' ? std::to_string(random.between(1, 13)) : std::string(1, c);
    }
    return shape;
}

} // namespace texelscope::test
