// The parts of a host program that deal with devices: choosing one, building the kernel, memory on
// the device, timing, and main(). They are C99, and their comments go into the program that the
// user gets.

#include "codegen/text/host_program_parts.hpp"

namespace texelscope::codegen::host_program_parts {

const char* const devices = R"c(// ---- Devices ----

enum { MOST_PLATFORMS = 32, MOST_DEVICES = 64, TEXT_BYTES = 1024 };

typedef struct {
    cl_device_id id;
    cl_device_type type;
    char name[TEXT_BYTES];
    char platform[TEXT_BYTES];
    char version[TEXT_BYTES]; // of the platform; names the implementation, too
} Device;

// All devices of all platforms, in the loader's order; returns how many there are.
static size_t find_devices(Device devices[MOST_DEVICES])
{
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_uint platform_count = 0;
    if (clGetPlatformIDs(MOST_PLATFORMS, platforms, &platform_count) != CL_SUCCESS) {
        return 0; // without any platform the loader answers with an error
    }
    size_t count = 0;
    for (cl_uint p = 0; p < platform_count && p < MOST_PLATFORMS; ++p) {
        cl_device_id ids[MOST_DEVICES];
        cl_uint id_count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST_DEVICES, ids, &id_count) != CL_SUCCESS) {
            continue; // a driver without its hardware
        }
        for (cl_uint d = 0; d < id_count && count < MOST_DEVICES; ++d, ++count) {
            Device *const device = &devices[count];
            device->id = ids[d];
            check(clGetDeviceInfo(ids[d], CL_DEVICE_TYPE, sizeof device->type, &device->type, NULL), "device's type");
            check(clGetDeviceInfo(ids[d], CL_DEVICE_NAME, TEXT_BYTES, device->name, NULL), "device's name");
            check(clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, TEXT_BYTES, device->platform, NULL),
                  "platform's name");
            check(clGetPlatformInfo(platforms[p], CL_PLATFORM_VERSION, TEXT_BYTES, device->version, NULL),
                  "platform's version");
        }
    }
    return count;
}

// Whether `part` occurs in `text`, upper and lower case being the same.
static bool contains(const char *text, const char *part)
{
    for (; *text != '\0'; ++text) {
        size_t i = 0;
        while (part[i] != '\0' && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) {
            ++i;
        }
        if (part[i] == '\0') {
            return true;
        }
    }
    return false;
}

static bool fits(const Device *device, size_t number, const char *selector)
{
    if (selector[strspn(selector, "0123456789")] == '\0') {
        return strtoul(selector, NULL, 10) == number;
    }
    return contains(device->name, selector) || contains(device->platform, selector) ||
           contains(device->version, selector);
}

// `selector`: a device's number, or part of its name or its platform's; empty: the first GPU, else the first device.
static Device choose_device(const char *selector)
{
    static Device devices[MOST_DEVICES];
    const size_t count = find_devices(devices);
    if (count == 0) {
        fail("there is no OpenCL device on this machine");
    }
    for (size_t i = 0; i < count; ++i) {
        if (selector[0] == '\0' ? (devices[i].type & CL_DEVICE_TYPE_GPU) != 0 : fits(&devices[i], i, selector)) {
            return devices[i];
        }
    }
    if (selector[0] != '\0') {
        fprintf(stderr, "error: no OpenCL device fits \"%s\"; devices are:", selector);
        for (size_t i = 0; i < count; ++i) {
            fprintf(stderr, "%s %zu = %s on %s", i == 0 ? "" : ",", i, devices[i].name, devices[i].platform);
        }
        fputc('\n', stderr);
        exit(EXIT_ERROR);
    }
    return devices[0];
}
)c";

const char* const half_choice =
    R"c(// Half precision where the device computes in it and rounds to the nearest number.
static const Arithmetic *arithmetic_of(cl_device_id device)
{
    enum { HALF_FP_CONFIG = 0x1033 }; // of cl_ext.h
    char extensions[16 * TEXT_BYTES] = "";
    cl_device_fp_config config = 0;
    const bool half =
        clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL) == CL_SUCCESS &&
        strstr(extensions, "cl_khr_fp16") != NULL &&
        clGetDeviceInfo(device, HALF_FP_CONFIG, sizeof config, &config, NULL) == CL_SUCCESS &&
        (config & CL_FP_ROUND_TO_NEAREST) != 0;
    return &arithmetics[half ? 1 : 0];
}
)c";

const char* const kernel = R"c(// ---- Running the kernel ----

typedef struct {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    double clock_step; // of the device's clock, ns
} Session;

static void build(cl_program program, cl_device_id device, const char *options)
{
    const cl_int error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    size_t bytes = 0;
    if (error != CL_SUCCESS &&
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) == CL_SUCCESS) {
        char *const log = allocate(bytes + 1, 1);
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
        fprintf(stderr, "%s\n", log);
        free(log);
    }
    check(error, "the kernel does not build");
}

static Session open_session(cl_device_id device)
{
    Session session;
    cl_int error;
    size_t step;
    check(clGetDeviceInfo(device, CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof step, &step, NULL), "device's clock");
    session.clock_step = (double)step;
    session.context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    session.queue = clCreateCommandQueue(session.context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    check(error, "clCreateCommandQueue");
    session.program = clCreateProgramWithSource(session.context, KERNEL_LINES, kernel_text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    build(session.program, device, arithmetic_of(device)->build_options);
    session.kernel = clCreateKernel(session.program, kernel_name, &error);
    check(error, "clCreateKernel");
    return session;
}

static void close_session(Session session)
{
    clReleaseKernel(session.kernel);
    clReleaseProgram(session.program);
    clReleaseCommandQueue(session.queue);
    clReleaseContext(session.context);
}
)c";

const char* const memory = R"c(// An image or a buffer on the device that holds these texels.
static cl_mem device_memory(cl_context context, const Tensor *tensor, cl_mem_flags use, void *texels)
{
    const cl_mem_flags flags = use | CL_MEM_COPY_HOST_PTR;
    cl_int error;
    cl_mem memory;
    if (tensor->memory == BUFFER) {
        memory = clCreateBuffer(context, flags, tensor->width * texel_bytes(tensor), texels, &error);
    } else {
        const cl_image_format format = {CL_RGBA, tensor->type};
        cl_image_desc description = {0};
        description.image_type = CL_MEM_OBJECT_IMAGE2D;
        description.image_width = tensor->width;
        description.image_height = tensor->height;
        memory = clCreateImage(context, flags, &format, &description, texels, &error);
    }
    if (error != CL_SUCCESS) {
        fail("%s of %zu x %zu texels for %s: %s (%d)", tensor->memory == BUFFER ? "buffer" : "image",
             tensor->width, tensor->height, tensor->name, error_name(error), (int)error);
    }
    return memory;
}

// Waits for the queue.
static void read_back(cl_command_queue queue, const Tensor *tensor, cl_mem memory, void *texels)
{
    if (tensor->memory == BUFFER) {
        const size_t bytes = tensor->width * texel_bytes(tensor);
        check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, bytes, texels, 0, NULL, NULL), "clEnqueueReadBuffer");
    } else {
        const size_t origin[] = {0, 0, 0};
        const size_t region[] = {tensor->width, tensor->height, 1};
        check(clEnqueueReadImage(queue, memory, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL),
              "clEnqueueReadImage");
    }
}
)c";

const char* const timing = R"c(// When one launch was under way, in ns, by two clocks.
typedef struct {
    cl_ulong start; // of the kernel, as the device tells it
    cl_ulong end;
    double wall; // from the call until the end was seen
} LaunchTime;

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static LaunchTime launch(Session session)
{
    LaunchTime time;
    cl_event event;
    const double called = now_ns();
    check(clEnqueueNDRangeKernel(session.queue, session.kernel, 3, NULL, global_size, local_size, 0, NULL, &event),
          "clEnqueueNDRangeKernel");
    check(clWaitForEvents(1, &event), "the kernel");
    time.wall = now_ns() - called;
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof time.start, &time.start, NULL), "profiling");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time.end, &time.end, NULL), "profiling");
    clReleaseEvent(event);
    return time;
}

// Whether the device's times can be those of these launches; some drivers make them up. A launch takes more than 10 ns, but
// no longer than the host waited for it (5 % and a step of the device's clock aside), and begins after the one before it.
static bool can_be_times(const LaunchTime *times, int count, double clock_step)
{
    for (int i = 0; i < count; ++i) {
        const LaunchTime t = times[i];
        const double ns = t.end > t.start ? (double)(t.end - t.start) : 0.0;
        const double early = i > 0 && times[i - 1].end > t.start ? (double)(times[i - 1].end - t.start) : 0.0;
        if (ns < 10.0 || ns > 1.05 * t.wall + clock_step || early > clock_step) {
            return false;
        }
    }
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

// `by_wall`: the device's times cannot be, and the wall clock's were taken.
static double median_ns(Session session, bool *by_wall)
{
    enum { LAUNCHES = WARM_UP_LAUNCHES + TIMED_LAUNCHES };
    LaunchTime times[LAUNCHES];
    for (int i = 0; i < LAUNCHES; ++i) {
        times[i] = launch(session);
    }
    *by_wall = !can_be_times(times, LAUNCHES, session.clock_step);
    double samples[TIMED_LAUNCHES];
    for (int i = 0; i < TIMED_LAUNCHES; ++i) {
        const LaunchTime time = times[WARM_UP_LAUNCHES + i];
        samples[i] = *by_wall ? time.wall : (double)(time.end - time.start);
    }
    qsort(samples, TIMED_LAUNCHES, sizeof samples[0], compare_numbers);
    return samples[TIMED_LAUNCHES / 2];
}
)c";

const char* const main_program = R"c(// Prints the time; returns the output.
static float *run(cl_device_id device, float *const values[INPUTS])
{
    const Session session = open_session(device);
    cl_mem memories[INPUTS + 1]; // in the order of the kernel's arguments
    for (cl_uint i = 0; i <= INPUTS; ++i) {
        const bool is_output = i == INPUTS;
        const Tensor *const tensor = is_output ? &output : &inputs[i];
        void *const texels = is_output ? poison(tensor) : pack(tensor, values[i]);
        memories[i] = device_memory(session.context, tensor, is_output ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY, texels);
        free(texels);
        check(clSetKernelArg(session.kernel, i, sizeof memories[i], &memories[i]), "clSetKernelArg");
    }

    bool by_wall;
    const double ns = median_ns(session, &by_wall);
    printf("time: median %.4g us over %d launches%s; %.2f GFLOP/s\n", ns / 1e3, (int)TIMED_LAUNCHES,
           by_wall ? " by the wall clock" : "", flops / ns);

    void *const texels = poison(&output);
    read_back(session.queue, &output, memories[INPUTS], texels);
    float *const result = unpack(&output, texels);
    free(texels);
    for (int i = 0; i <= INPUTS; ++i) {
        clReleaseMemObject(memories[i]);
    }
    close_session(session);
    return result;
}

static uint64_t parse_seed(const char *text)
{
    char *end;
    const uint64_t seed = strtoull(text, &end, 10);
    if (end == text || *end != '\0') {
        fail("the seed '%s' is not a number", text);
    }
    return seed;
}

int main(int argc, char **argv)
{
    if (argc > 3 || (argc > 1 && argv[1][0] == '-')) {
        fail("usage: %s [DEVICE [SEED]]", argv[0]);
    }
    uint64_t random = parse_seed(argc > 2 ? argv[2] : "1");
    const Device device = choose_device(argc > 1 ? argv[1] : "");
    const Arithmetic *const arithmetic = arithmetic_of(device.id);
    printf("%s\non %s (%s), %s arithmetic\n", title, device.name, device.platform, arithmetic->name);

    float *values[INPUTS];
    for (int i = 0; i < INPUTS; ++i) {
        values[i] = random_values(&inputs[i], &random);
    }
    float *const result = run(device.id, values);
    const bool passed = check_output(values, result, arithmetic);

    free(result);
    for (int i = 0; i < INPUTS; ++i) {
        free(values[i]);
    }
    return passed ? EXIT_PASSED : EXIT_FAILED;
}
)c";

} // namespace texelscope::codegen::host_program_parts
