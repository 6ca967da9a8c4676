#include "sim/cache/cache.hpp"

#include <cstdint>
#include <cstdio>

// A cache of two lines, least recently used: miss, miss, hit, miss that evicts line 64, hit.
int main()
{
    texelscope::sim::CacheGeometry geometry;
    geometry.capacity = texelscope::base::Bytes{128};
    geometry.line = texelscope::base::Bytes{64};
    texelscope::sim::Cache cache(geometry, texelscope::base::Bytes{256});
    int misses = 0;
    for (const std::int64_t address : {0, 64, 0, 128, 0}) {
        misses += cache.lookup(address).hit() ? 0 : 1;
    }
    std::printf("%d misses\n", misses);
    return misses == 3 && cache.contains(0) && !cache.contains(64) ? 0 : 1;
}
