#include "gui/study/study_files.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "devices/profile/device_profile.hpp"
#include "gui/study/study_panel.hpp"
#include "gui/widgets/theme.hpp"
#include "traces/native/file_stream.hpp"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

namespace texelscope::gui {
namespace {

constexpr const char* openable =
    "the window opens studies, device profiles, traces, stores of results, reports and ONNX models";

std::string beginning_of(const std::string& path)
{
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        throw bad_input("there is no such file", path, "check its name");
    }
    // Reading a pipe here would take what is to be read later.
    if (!std::filesystem::is_regular_file(path, error)) {
        throw bad_input("this is no file that can be opened", path, openable);
    }
    std::ifstream in(path, std::ios::binary);
    std::string begin(65536, '\0');
    in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    if (in.bad() || (!in && !in.eof())) {
        throw bad_input("the file cannot be read", path, "check its permissions");
    }
    begin.resize(static_cast<std::size_t>(in.gcount()));
    if (begin.empty()) {
        throw bad_input("the file is empty", path, openable);
    }
    return begin;
}

std::string_view without_space(std::string_view text)
{
    const auto first = std::find_if_not(text.begin(), text.end(),
                                        [](unsigned char c) { return std::isspace(c) != 0; });
    return text.substr(static_cast<std::size_t>(first - text.begin()));
}

/// Name of the first element; empty where there is none.
std::string_view root_name(std::string_view xml)
{
    for (std::size_t at = xml.find('<'); at != std::string_view::npos; at = xml.find('<', at)) {
        const std::string_view rest = xml.substr(at + 1);
        if (rest.starts_with("!--")) {
            at = xml.find("-->", at);
            continue;
        }
        if (!rest.empty() && std::isalpha(static_cast<unsigned char>(rest.front())) != 0) {
            return rest.substr(0, rest.find_first_of(" \t\r\n/>"));
        }
        ++at; // a declaration or a type
    }
    return {};
}

/// Whether the first line that is no comment is the header of a trace. A file of comments alone may
/// be one that was cut.
bool is_plain_trace(std::string_view text)
{
    bool declares = false;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (!line.empty() && line.front() != '#' && line != "\r") {
            return line.starts_with("group,item,step,") || declares;
        }
        declares |= line.starts_with("#image ");
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return declares;
}

/// ONNX has no magic. It is a protobuf message that as a rule starts with its version, a varint in
/// field 1 (tag 0x08), and goes on with another of its fields, whose numbers are small. A tag is 8
/// times the field plus the wire type: 0 for varints, 2 for bytes.
bool is_onnx(std::string_view begin)
{
    constexpr int version_field = 0x08;  // number 1, a varint
    constexpr int highest_version = 127; // of one byte
    constexpr int highest_field = 25;
    if (begin.size() < 3 || begin[0] != version_field || begin[1] < 1 ||
        begin[1] > highest_version) {
        return false;
    }
    const auto tag = static_cast<unsigned char>(begin[2]);
    const int field = tag >> 3;
    const int type = tag & 7;
    return field > 1 && field <= highest_field && (type == 0 || type == 2);
}

std::optional<FileKind> kind_of(std::string_view begin)
{
    using namespace std::string_view_literals;
    struct Magic {
        std::string_view bytes;
        FileKind kind;
    };
    constexpr std::array magics{Magic{"SQLite format 3\0"sv, FileKind::store},
                                Magic{"TXSTRACE"sv, FileKind::trace},
                                // Of what the window opens, only traces are compressed.
                                Magic{"\x1f\x8b"sv, FileKind::trace},          // gzip
                                Magic{"\xfd\x37zXZ\0"sv, FileKind::trace},     // xz
                                Magic{"\x28\xb5\x2f\xfd"sv, FileKind::trace}}; // zstd
    for (const Magic& magic : magics) {
        if (begin.starts_with(magic.bytes)) {
            return magic.kind;
        }
    }
    if (begin.starts_with(byte_order_mark)) {
        begin.remove_prefix(byte_order_mark.size());
    }
    const std::string_view text = without_space(begin);
    if (text.starts_with('<')) {
        const std::string_view root = root_name(text);
        return root == "study"    ? std::optional(FileKind::study)
               : root == "device" ? std::optional(FileKind::profile)
               : root == "html" && text.find(": Texelscope</title>") != text.npos
                   ? std::optional(FileKind::report)
                   : std::nullopt;
    }
    return is_plain_trace(text) ? std::optional(FileKind::trace)
           : is_onnx(begin)     ? std::optional(FileKind::network)
                                : std::nullopt;
}

constexpr qsizetype most_recent = 8;
constexpr const char* recent_key = "files/recent";

} // namespace

FileKind file_kind(const std::string& path)
{
    if (const auto kind = kind_of(beginning_of(path))) {
        return *kind;
    }
    throw bad_input("this is none of the files that can be opened", path, openable);
}

StudyFiles::StudyFiles(QWidget* window, std::function<StudyForm()> present, bool remember)
    : QObject(window), window_(window), present_(std::move(present)), remember_(remember)
{
    read_recent();
}

void StudyFiles::add_to(QMenu& menu)
{
    const auto add = [&](const QString& text, const QKeySequence& keys,
                         void (StudyFiles::*slot)()) {
        QAction* entry = menu.addAction(text);
        entry->setShortcut(keys);
        connect(entry, &QAction::triggered, this, slot);
    };
    add(tr("&Open…"), QKeySequence::Open, &StudyFiles::ask_and_open);
    recent_menu_ = menu.addMenu(tr("Open &recent"));
    recent_menu_->setObjectName("recent_menu");
    connect(&menu, &QMenu::aboutToShow, this, [this] {
        read_recent();
        show_recent();
    });
    add(tr("&Save study"), QKeySequence::Save, &StudyFiles::save_or_ask);
    add(tr("Save study &as…"), QKeySequence(tr("Ctrl+Shift+S")), &StudyFiles::ask_and_save);
    menu.addSeparator();
    show_recent();
}

void StudyFiles::open(const QString& path)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (!QFileInfo::exists(path) && recent_.contains(absolute)) {
        forget(absolute);
        emit failed(
            tr("%1: the file is not there any more; it was taken off the recent files").arg(path));
        return;
    }
    try {
        const FileKind kind = file_kind(path.toStdString());
        StudyForm form;
        if (kind == FileKind::study || kind == FileKind::profile) {
            form = gui::opened(path.toStdString(), present_());
        }
        remember(path);
        switch (kind) {
        case FileKind::study:
            path_ = path;
            return emit opened(form);
        case FileKind::profile:
            return emit opened(form);
        case FileKind::trace:
            return emit trace_opened(absolute);
        case FileKind::store:
            return emit store_opened(absolute);
        case FileKind::report:
            return emit report_opened(absolute);
        case FileKind::network:
            return emit network_opened(absolute);
        }
    } catch (const std::exception& error) {
        emit failed(error.what());
    }
}

void StudyFiles::save(const QString& path)
{
    try {
        write_file_atomically(path.toStdString(), to_xml(present_()));
        path_ = path;
        remember(path);
        emit saved(path);
    } catch (const std::exception& error) {
        emit failed(error.what());
    }
}

void StudyFiles::ask_and_open()
{
    const QString path = QFileDialog::getOpenFileName(
        window_, tr("Open a study, profile, trace, store, report or ONNX model"),
        QFileInfo(path_).path(),
        tr("All files (*);;Studies and profiles (*.xml);;"
           "Traces (*.tst *.csv *.csv.gz *.csv.xz *.csv.zst);;"
           "Stores of results (*.db *.sqlite);;Reports (*.html);;"
           "ONNX models (*.onnx)"));
    if (!path.isEmpty()) {
        open(path);
    }
}

void StudyFiles::save_or_ask()
{
    path_.isEmpty() ? ask_and_save() : save(path_);
}

void StudyFiles::ask_and_save()
{
    QString path = QFileDialog::getSaveFileName(
        window_, tr("Save the study"), path_.isEmpty() ? QStringLiteral("study.xml") : path_,
        tr("Studies (*.xml)"));
    if (path.isEmpty()) {
        return;
    }
    if (!path.endsWith(".xml")) { // or it could not be opened again
        path += ".xml";
    }
    save(path);
}

void StudyFiles::read_recent()
{
    if (remember_) {
        recent_ = window_settings().value(recent_key).toStringList();
    }
}

void StudyFiles::forget(const QString& absolute)
{
    recent_.removeAll(absolute);
    if (remember_) {
        window_settings().setValue(recent_key, recent_);
    }
    show_recent();
}

void StudyFiles::remember(const QString& path)
{
    read_recent();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    recent_.removeAll(absolute);
    recent_.prepend(absolute);
    recent_.resize(std::min(recent_.size(), most_recent));
    if (remember_) {
        window_settings().setValue(recent_key, recent_);
    }
    show_recent();
}

void StudyFiles::show_recent()
{
    if (recent_menu_ == nullptr) {
        return;
    }
    recent_menu_->clear();
    recent_menu_->setEnabled(!recent_.isEmpty());
    for (const QString& path : recent_) {
        connect(recent_menu_->addAction(path), &QAction::triggered, this,
                [this, path] { open(path); });
    }
}

} // namespace texelscope::gui
