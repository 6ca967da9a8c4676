// Stands in for the OpenCL library of most phones, which exports the functions: it is linked with the system's OpenCL loader, and
// what is asked of a library is looked for in those that it needs as well.
extern int clGetPlatformIDs(unsigned, void*, unsigned*);

/// Keeps the linker from leaving the loader out.
__attribute__((visibility("default"))) void* const texelscope_needs = (void*)clGetPlatformIDs;
