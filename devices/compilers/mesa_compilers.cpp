// Asks Mesa's compilers, in processes of their own, about kernels. Answers are kept in files whose
// names are the SHA-256 of everything they depend on (GPU, version, options, text), so nothing is
// compiled twice.

#include "devices/compilers/mesa_compilers.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/lists.hpp"
#include "base/parallel.hpp"
#include "base/program_folder.hpp"
#include "base/scratch_folder.hpp"
#include "base/sha256.hpp"
#include "devices/compilers/compiler_output.hpp"
#include "devices/compilers/compiler_output_parts.hpp"
#include "devices/compilers/compiler_place.hpp"
#include "devices/compilers/compiler_resources.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace texelscope::devices {
namespace {

namespace fs = std::filesystem;

constexpr const char* build_program = "texelscope-build-kernel";
/// In front of the driver's version, in what is kept.
constexpr std::string_view driver_mark = "driver ";

/// A program's kernels, or why there are none.
using Answer = std::variant<std::vector<NamedKernel>, Error>;

/// A text to compile, and where its result is kept.
struct Question {
    std::string text;
    fs::path kept;
};

/// Limits of time: Mali's compiler, under qemu, takes 40 s for the first kernel of a GPU, and
/// seconds for most others.
constexpr double first_kernel_seconds = 240, kernel_seconds = 60;

std::vector<std::string> errors_of(const std::string& output)
{
    std::vector<std::string> errors = lines_with(output, "");
    std::erase_if(
        errors, [](const std::string& line) { return line.find("error: ") == std::string::npos; });
    return errors;
}

/// The first line of a build log that is an error, and how many more there are.
std::string first_error(const std::string& output, const std::vector<std::string>& errors)
{
    if (errors.empty()) {
        return last_line(output);
    }
    return errors.size() == 1 ? errors[0]
                              : fmt::format("{} (and {} more)", errors[0], errors.size() - 1);
}

/// The compiler's own last words where it ended early: its errors and what it says as it gives up.
/// Its listings, its traces of calls and what an emulator adds are none.
std::string last_words(const std::string& output)
{
    std::string words;
    for (const std::string& line : lines_with(output, "")) {
        const bool said = line.find("error:") != std::string::npos ||
                          line.find("called `") != std::string::npos ||
                          line.find("ssertion") != std::string::npos ||
                          line.find("UNREACHABLE") != std::string::npos;
        if (said && !line.starts_with("MESA: info:")) {
            words += (words.empty() ? "" : "; ") + line;
        }
    }
    return words;
}

/// Of a compiler that ended early.
Error gave_up(const CompilerGpu& gpu, const std::string& words)
{
    const std::string text =
        "the compiler gave up on it" + (words.empty() ? ", without a word" : ": " + words);
    return missing(text, gpu.name, "it is an error of Mesa; change the kernel");
}

/// An empty folder that the compiler sees too, for the files of one process.
class WorkFolder {
public:
    explicit WorkFolder(const CompilerPlace& place)
        : folder_(place.root.string() + "/tmp/texelscope"),
          within_(folder_.path().substr(place.root.string().size()))
    {}

    [[nodiscard]] const std::string& within() const { return within_; }
    [[nodiscard]] fs::path outside() const { return folder_.path(); }

private:
    ScratchFolder folder_;
    std::string within_;
};

/// Builds the texts in one process.
ProcessOutcome build(const CompilerPlace& place, const CompilerGpu& gpu, const WorkFolder& folder,
                     std::span<const std::string> texts, const std::string& options,
                     const StopToken& stop)
{
    Words words{"env"};
    words.insert(words.end(), place.environment.begin(), place.environment.end());
    words.push_back((gpu.family == CompilerFamily::adreno ? "FD_GPU_ID=" : "PAN_GPU_ID=") +
                    std::string(gpu.id));
    words.push_back("MESA_SHADER_CACHE_DIR=" + folder.within() + "/cache");
    words.insert(words.end(), place.start.begin(), place.start.end());
    words.push_back(options);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::string name = fmt::format("/{}.cl", i);
        write_file_atomically(folder.outside().string() + name, texts[i]);
        words.push_back(folder.within() + name);
    }
    return run_process(
        words, first_kernel_seconds + kernel_seconds * static_cast<double>(texts.size()), stop);
}

/// Gives the process a copy of the built-in functions as they were compiled once: the cache that
/// has them would otherwise keep kernels too, of which the compiler then tells nothing.
void bring_built_ins(const CompilerPlace& place, const CompilerGpu& gpu, const WorkFolder& folder,
                     const std::string& options, const StopToken& stop)
{
    if (place.built_ins.empty()) {
        return;
    }
    const fs::path kept = place.root / place.built_ins / gpu.id;
    if (!fs::exists(kept)) {
        const WorkFolder first(place);
        const std::string nothing = "kernel void texelscope_built_ins() {}";
        if (!parse_build_output(build(place, gpu, first, {&nothing, 1}, options, stop).output)
                 .ended) {
            return; // the kernels will say what is wrong
        }
        fs::create_directories(kept.parent_path());
        std::error_code another_was_first;
        fs::rename(first.outside() / "cache", kept, another_was_first);
    }
    const fs::path cache = folder.outside() / "cache";
    fs::copy(kept, cache, fs::copy_options::recursive);
    // Entries lie in folders by the first byte of their key. Where a file has the folder's name,
    // Mesa keeps nothing, and tells of kernels of the same code as well.
    for (int byte = 0; byte < 256; ++byte) {
        const fs::path entries = cache / "mesa_shader_cache" / fmt::format("{:02x}", byte);
        if (!fs::exists(entries)) {
            write_file_atomically(entries.string(), "");
        }
    }
}

/// The kernels that a compiler has told of, and of `made` those of which it has not.
std::vector<NamedKernel> kernels_of(const CompilerGpu& gpu, const std::string& driver,
                                    const std::string& output,
                                    std::span<const std::string> made = {})
{
    std::vector<NamedKernel> kernels;
    for (const KernelOutput& part : kernel_outputs(output)) {
        const std::string name = part.name.empty() && made.size() == 1 ? made[0] : part.name;
        try {
            CompiledKernel kernel = parse_compiler_output(gpu, driver, part.text);
            kernel.name = name;
            kernels.push_back({name, std::move(kernel)});
        } catch (const Error& error) {
            kernels.push_back({name, error});
        }
    }
    for (const std::string& name : made) {
        if (std::ranges::find(kernels, name, &NamedKernel::name) == kernels.end()) {
            kernels.push_back({name, bad_input("its code is that of another kernel, which the "
                                               "compiler compiles once and tells of once",
                                               name)});
        }
    }
    return kernels;
}

/// What a complete part of the output says, which is kept where all of it is read.
Answer answer(const CompilerGpu& gpu, const Question& question, const std::string& driver,
              const std::string& output)
{
    if (output.find("\nfailed ") != std::string::npos || output.starts_with("failed ")) {
        const std::vector<std::string> errors = errors_of(output);
        // Any of them may tell: a size for the vendor that has sub-groups is missing before they
        // are.
        const bool of_others = std::ranges::any_of(errors, [](const std::string& error) {
            return error.find("sub_group") != std::string::npos ||
                   error.find("'qcom_") != std::string::npos ||
                   error.find("'float32'") != std::string::npos; // cl_qcom_extra_vector_types
        });
        return bad_input("it does not compile: " + first_error(output, errors), gpu.name,
                         of_others ? "Mesa's OpenCL has no sub-groups for these GPUs, and no "
                                     "functions and types of other vendors"
                                   : "");
    }
    const std::vector<std::string> made = lines_with(output, "kernel ");
    if (made.empty()) {
        return bad_input("it has no kernel", gpu.name, "a kernel is a function marked `kernel`");
    }
    std::vector<NamedKernel> kernels = kernels_of(gpu, driver, output, made);
    if (std::ranges::all_of(kernels, [](const NamedKernel& kernel) {
            return std::holds_alternative<CompiledKernel>(kernel.compiled);
        })) {
        fs::create_directories(question.kept.parent_path());
        write_file_atomically(question.kept, std::string(driver_mark) + driver + "\n" +
                                                 essential_output(gpu, output));
    }
    return kernels;
}

Answer kept_answer(const CompilerGpu& gpu, const fs::path& kept)
{
    const std::unique_ptr<FileBytes> bytes = map_file(kept);
    const std::string output(bytes->view());
    const std::size_t end = output.find('\n');
    return kernels_of(gpu, output.substr(driver_mark.size(), end - driver_mark.size()),
                      output.substr(end + 1));
}

/// Whether the compiler tells of every kernel that was made.
bool tells_all(const CompilerGpu& gpu, const std::string& output)
{
    return has_statistics(gpu, output) &&
           kernel_outputs(output).size() == lines_with(output, "kernel ").size();
}

/// A few texts, in one process as long as none of them ends it.
std::vector<Answer> compile_batch(const CompilerPlace& place, const CompilerGpu& gpu,
                                  std::span<const Question> batch, const std::string& options,
                                  const StopToken& stop)
{
    std::vector<Answer> done;
    std::size_t alone = batch.size();
    // Goes on in a new process with the text behind the one that ended the last process.
    while (done.size() < batch.size()) {
        const std::size_t first = done.size();
        std::vector<std::string> texts;
        for (const Question& question :
             batch.subspan(first, first == alone ? 1 : batch.size() - first)) {
            texts.push_back(question.text);
        }
        const WorkFolder folder(place);
        bring_built_ins(place, gpu, folder, options, stop);
        const ProcessOutcome outcome = build(place, gpu, folder, texts, options, stop);
        const BuildOutput output = parse_build_output(outcome.output);
        if (output.files.empty()) {
            throw missing("the compiler did not start: " + last_line(outcome.output), gpu.name,
                          "run texelscope compile --setup again");
        }
        for (std::size_t i = 0; i < output.complete(); ++i) {
            // What it has made before, for a kernel of the same instructions, it takes from its
            // cache and tells nothing of.
            if (texts.size() > 1 && !tells_all(gpu, output.files[i])) {
                alone = done.size();
                break;
            }
            done.push_back(answer(gpu, batch[done.size()], output.driver, output.files[i]));
        }
        if (!output.ended && done.size() == first + output.complete()) {
            done.emplace_back(outcome.timed_out
                                  ? missing("the compiler took too long and was ended", gpu.name)
                                  : gave_up(gpu, last_words(output.files.back())));
        }
    }
    return done;
}

/// What the folder of a place says its program was built of.
fs::path source_mark(const fs::path& root)
{
    return root / "kit/source";
}

/// Whether the place has the program of this version of texelscope.
bool is_current(const CompilerPlace& place)
{
    const fs::path mark = source_mark(place.root);
    return place.root.empty() ||
           (fs::exists(mark) && map_file(mark)->view() == sha256(build_kernel_c()));
}

/// The compiler for the GPU. Throws missing, saying how to get it, where there is none.
CompilerPlace place_for(const CompilerGpu& gpu, const std::string& folder,
                        const std::string& programs)
{
    std::optional<CompilerPlace> place = compiler_place(gpu.family, folder, programs);
    if (!place) {
        throw missing("there is no compiler for " + std::string(gpu.name), folder,
                      "run texelscope compile --setup");
    }
    if (!is_current(*place)) {
        throw missing("the compilers were set up by another version of texelscope", folder,
                      "run texelscope compile --setup");
    }
    return std::move(*place);
}

/// Of each text in its order: what is kept in the folder, or is compiled now.
std::vector<Answer> answers(const CompilerPlace& place, const std::string& folder,
                            const CompilerGpu& gpu, std::span<const std::string> texts,
                            const std::string& options, int threads, const Progress& progress,
                            const StopToken& stop)
{
    std::map<fs::path, std::size_t> questions; // by where they are kept
    std::vector<Question> open;
    std::vector<fs::path> kept;
    for (const std::string& text : texts) {
        const std::string digest = sha256(fmt::format("{}\n{}\n{}\n{}\n{}", to_string(gpu.family),
                                                      gpu.id, place.version, options, text));
        kept.push_back(fs::path(folder) / "results" / (digest + ".txt"));
        if (!fs::exists(kept.back()) && questions.emplace(kept.back(), open.size()).second) {
            open.push_back({text, kept.back()});
        }
    }
    // So many texts share a process, whose start takes a second.
    constexpr std::size_t batch = 8;
    std::vector<std::vector<Answer>> compiled((open.size() + batch - 1) / batch);
    parallel_for(
        compiled.size(), threads,
        [&](std::size_t i) {
            compiled[i] = compile_batch(
                place, gpu,
                std::span(open).subspan(i * batch, std::min(batch, open.size() - i * batch)),
                options, stop);
        },
        stop, [&](std::size_t done) { tell(progress, gpu.name, done, compiled.size()); });
    return mapped(kept, [&](const fs::path& one) -> Answer {
        const auto asked = questions.find(one);
        return asked == questions.end() ? kept_answer(gpu, one)
                                        : compiled[asked->second / batch][asked->second % batch];
    });
}

} // namespace

MesaCompilers::MesaCompilers(std::string folder, std::string programs)
    : folder_(folder.empty() ? default_compilers_folder()
                             : fs::absolute(folder).lexically_normal().string()),
      programs_(programs.empty() ? program_folder() : std::move(programs))
{}

bool MesaCompilers::has(CompilerFamily family) const
{
    const std::optional<CompilerPlace> place = compiler_place(family, folder_, programs_);
    return place && is_current(*place);
}

void MesaCompilers::require(const CompilerGpu& gpu) const
{
    (void)place_for(gpu, folder_, programs_);
}

std::int64_t MesaCompilers::set_up(CompilerFamily family, const Progress& progress) const
{
    const fs::path root =
        fs::path(folder_) / (family == CompilerFamily::adreno ? "amd64" : "arm64");
    fs::create_directories(folder_);
    const std::string script = folder_ + "/setup_compilers.sh";
    write_file_atomically(script, std::string(setup_compilers_sh()));
    std::string program = (fs::path(programs_) / build_program).string();
    if (family == CompilerFamily::mali) { // built there, for that machine
        program = folder_ + "/build_kernel.c";
        write_file_atomically(program, std::string(build_kernel_c()));
    } else if (!fs::exists(program)) {
        throw missing("there is no such program", program,
                      "it is built and installed with texelscope");
    }
    // The folder is entered in a user namespace, unless we are root.
    if (geteuid() != 0 && run_process({"unshare", "-r", "true"}, 10).exit_code != 0) {
        throw missing("this system gives no user namespaces, which the compilers are entered with",
                      "unshare -r", "run it as root");
    }
    std::vector<std::string> steps{"program"}; // always, as it goes with this version of texelscope
    if (!fs::exists(root / "kit/bytes")) {
        steps = {"index", "download", "unpack", "program"};
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        tell(progress, fmt::format("{} compiler: {}", to_string(family), steps[i]), i,
             steps.size());
        const ProcessOutcome outcome =
            run_process({"bash", script, steps[i], to_string(family), folder_, program}, 1800);
        if (outcome.exit_code != 0) {
            throw missing("the compilers could not be set up: " + last_line(outcome.output),
                          steps[i],
                          "check the network and the space on the disk, and run it again");
        }
    }
    write_file_atomically(source_mark(root).string(), sha256(build_kernel_c()));
    return std::strtoll(std::string(map_file(root / "kit/bytes")->view()).c_str(), nullptr, 10);
}

std::vector<Compiled> MesaCompilers::compile_all(const CompilerGpu& gpu,
                                                 std::span<const std::string> texts,
                                                 const std::string& options, int threads,
                                                 const Progress& progress,
                                                 const StopToken& stop) const
{
    return mapped(answers(place_for(gpu, folder_, programs_), folder_, gpu, texts, options, threads,
                          progress, stop),
                  [&](const Answer& answer) -> Compiled {
                      if (const Error* error = std::get_if<Error>(&answer)) {
                          return *error;
                      }
                      const auto& kernels = std::get<std::vector<NamedKernel>>(answer);
                      return kernels.size() == 1
                                 ? kernels[0].compiled
                                 : bad_input(fmt::format("it has {} kernels", kernels.size()),
                                             gpu.name, "give a text with one");
                  });
}

CompiledKernel MesaCompilers::compile(const CompilerGpu& gpu, const std::string& text,
                                      const std::string& options, const StopToken& stop) const
{
    const Compiled compiled = compile_all(gpu, {&text, 1}, options, 1, {}, stop).front();
    if (const Error* error = std::get_if<Error>(&compiled)) {
        throw Error(*error);
    }
    return std::get<CompiledKernel>(compiled);
}

std::vector<NamedKernel> MesaCompilers::compile_kernels(const CompilerGpu& gpu,
                                                        const std::string& text,
                                                        const std::string& options,
                                                        const StopToken& stop) const
{
    Answer answer =
        answers(place_for(gpu, folder_, programs_), folder_, gpu, {&text, 1}, options, 1, {}, stop)
            .front();
    if (const Error* error = std::get_if<Error>(&answer)) {
        throw Error(*error);
    }
    return std::get<std::vector<NamedKernel>>(std::move(answer));
}

} // namespace texelscope::devices
