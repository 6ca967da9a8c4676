// OpenCL C as C++, as far as generated matrix products and convolutions need it: a generated text
// that is compiled behind this header runs on the CPU, with or without half precision. Nothing is
// fused: each product and each sum is rounded.

#include <barrier>
#include <thread>
#include <vector>

/// Rounds to half precision; whoever loads the library sets it.
extern "C" {
float (*round_to_half)(float) = nullptr;
}

struct half {
    float value = 0;
    half() = default;
    half(float number) : value(round_to_half(number)) {}
    operator float() const { return value; }
};
inline half operator*(half a, half b)
{
    return {a.value * b.value};
}
inline half operator+(half a, half b)
{
    return {a.value + b.value};
}
inline half& operator+=(half& a, half b)
{
    return a = a + b;
}

template <class T>
struct Four {
    T x{}, y{}, z{}, w{};
    Four() = default;
    Four(T all) : x(all), y(all), z(all), w(all) {}
    Four(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {}
};
template <class T>
Four<T> operator*(Four<T> a, Four<T> b)
{
    return {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w};
}
template <class T>
Four<T> operator*(T a, Four<T> b)
{
    return Four<T>(a) * b;
}
template <class T>
Four<T> operator*(Four<T> a, T b)
{
    return a * Four<T>(b);
}
template <class T>
Four<T>& operator+=(Four<T>& a, Four<T> b)
{
    return a = {T(a.x + b.x), T(a.y + b.y), T(a.z + b.z), T(a.w + b.w)};
}
template <class T>
T dot(Four<T> a, Four<T> b)
{
    T sum = a.x * b.x;
    sum += a.y * b.y;
    sum += a.z * b.z;
    sum += a.w * b.w;
    return sum;
}

template <class T>
struct Eight {
    Four<T> s0123, s4567;
    Eight() = default;
    Eight(T all) : s0123(all), s4567(all) {}
    Eight(Four<T> a, Four<T> b) : s0123(a), s4567(b) {}
};
template <class T>
Eight<T> operator*(T a, Eight<T> b)
{
    return {a * b.s0123, a * b.s4567};
}
template <class T>
Eight<T> operator*(Eight<T> a, T b)
{
    return b * a;
}
template <class T>
Eight<T> operator*(Eight<T> a, Eight<T> b)
{
    return {a.s0123 * b.s0123, a.s4567 * b.s4567};
}
template <class T>
Eight<T>& operator+=(Eight<T>& a, Eight<T> b)
{
    a.s0123 += b.s0123;
    a.s4567 += b.s4567;
    return a;
}

using float4 = Four<float>;
using half4 = Four<half>;
using float8 = Eight<float>;
using half8 = Eight<half>;
inline float convert_float(float number)
{
    return number;
}
template <class T>
float4 convert_float4(Four<T> v)
{
    return {v.x, v.y, v.z, v.w};
}
template <class T>
float8 convert_float8(Eight<T> v)
{
    return {convert_float4(v.s0123), convert_float4(v.s4567)};
}
template <class T>
half4 convert_half4(Four<T> v)
{
    return {half(v.x), half(v.y), half(v.z), half(v.w)};
}

struct int2 {
    int x, y;
    int2(int column, int row) : x(column), y(row) {}
};
struct Texels {
    half4* data;
    int width, height;
};
using image2d_t = const Texels*;
using sampler_t = int;
enum {
    CLK_NORMALIZED_COORDS_FALSE = 0,
    CLK_ADDRESS_CLAMP = 0,
    CLK_FILTER_NEAREST = 0,
    CLK_LOCAL_MEM_FENCE = 0
};

inline half4 read_imageh(image2d_t image, int2 at)
{
    return image->data[at.y * image->width + at.x];
}
inline half4 read_imageh(image2d_t image, sampler_t, int2 at)
{
    const bool inside = at.x >= 0 && at.x < image->width && at.y >= 0 && at.y < image->height;
    return inside ? read_imageh(image, at) : half4();
}
inline float4 read_imagef(image2d_t image, int2 at)
{
    return convert_float4(read_imageh(image, at));
}
inline float4 read_imagef(image2d_t image, sampler_t border, int2 at)
{
    return convert_float4(read_imageh(image, border, at));
}
inline void write_imageh(image2d_t image, int2 at, half4 texel)
{
    image->data[at.y * image->width + at.x] = texel;
}
inline void write_imagef(image2d_t image, int2 at, float4 texel)
{
    write_imageh(image, at, convert_half4(texel));
}
/// Bits of four halves, which only ever become halves again.
using ushort4 = half4;
inline float4 vload_half4(int at, const half* from)
{
    return convert_float4(reinterpret_cast<const half4*>(from)[at]);
}
inline void vstore_half4(float4 texel, int at, half* to)
{
    reinterpret_cast<half4*>(to)[at] = convert_half4(texel);
}

inline thread_local int local_ids[3], group_ids[3];
inline std::barrier<>* group_barrier = nullptr;
inline int get_local_id(int axis)
{
    return local_ids[axis];
}
inline int get_group_id(int axis)
{
    return group_ids[axis];
}
inline void barrier(int)
{
    group_barrier->arrive_and_wait();
}

/// Runs a kernel's work-groups one after another; work-items that meet at barriers in a thread
/// each.
template <class Kernel>
void launch(const int (&groups)[3], const int (&local_size)[3], bool meet, const Kernel& kernel)
{
    const int items = local_size[0] * local_size[1] * local_size[2];
    for (int g = 0; g < groups[0] * groups[1] * groups[2]; ++g) {
        const auto run = [&, g](int item) {
            const int group[3]{g % groups[0], g / groups[0] % groups[1], g / groups[0] / groups[1]};
            const int id[3]{item % local_size[0], item / local_size[0] % local_size[1],
                            item / local_size[0] / local_size[1]};
            for (int axis = 0; axis < 3; ++axis) {
                group_ids[axis] = group[axis];
                local_ids[axis] = id[axis];
            }
            kernel();
        };
        std::barrier<> all(items);
        group_barrier = &all;
        std::vector<std::thread> threads;
        for (int item = 0; item < items; ++item) {
            if (meet) {
                threads.emplace_back(run, item);
            } else {
                run(item);
            }
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
}

// The language's words, last: the library's headers have some of them as names.
#define kernel
#define global
#define local static
#define constant static const
#define read_only
#define write_only
#define restrict __restrict__
