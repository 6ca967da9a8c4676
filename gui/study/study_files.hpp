#pragma once

#include "workbench/study/study_form.hpp"

#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <string>

class QMenu;
class QWidget;

namespace texelscope::gui {

/// What the window opens.
enum class FileKind {
    study,   ///< XML, <study>
    profile, ///< XML, <device>
    trace,   ///< native, or plain CSV, compressed or not
    store,   ///< SQLite: results of tune and sweep, or imported ones
    report,  ///< HTML that texelscope wrote
    network, ///< ONNX
};

/// The kind of a file by how it begins, whatever its name; whether the rest is whole is not looked
/// at. Throws bad_input where there is no such file, it cannot be read or is empty, or is none of
/// these.
[[nodiscard]] FileKind file_kind(const std::string& path);

/// The files of the window: open, the recent ones, save and save as of the study; as entries of the
/// File menu.
class StudyFiles : public QObject {
    Q_OBJECT

public:
    /// `present`: the form as it is in the window now. `remember`: the recent files are read from
    /// the settings, and kept there.
    StudyFiles(QWidget* window, std::function<StudyForm()> present, bool remember);

    void add_to(QMenu& menu);
    /// Whatever the window opens, told by its contents: a study; a device profile, which goes to
    /// the present study; a trace, a store, a report or a network, which are for others to read. Of
    /// a file that is gone, the recent ones forget.
    void open(const QString& path);
    void ask_and_open();
    /// Replaces the file atomically.
    void save(const QString& path);
    /// The study's file; empty where it has none.
    [[nodiscard]] QString path() const { return path_; }
    /// From now on the study has that file; an empty one: none, so that what is saved next asks for
    /// one.
    void set_path(const QString& path) { path_ = path; }
    [[nodiscard]] QStringList recent() const { return recent_; }

signals:
    void opened(const texelscope::workbench::study::StudyForm& form);
    void trace_opened(const QString& path);
    void store_opened(const QString& path);
    void report_opened(const QString& path);
    void network_opened(const QString& path);
    void saved(const QString& path);
    void failed(const QString& line);

private:
    void save_or_ask();
    void ask_and_save();
    void remember(const QString& path);
    void forget(const QString& absolute);
    /// Another window may have opened files since.
    void read_recent();
    void show_recent();

    QWidget* window_;
    std::function<StudyForm()> present_;
    bool remember_;
    QString path_;
    QStringList recent_;
    QMenu* recent_menu_ = nullptr;
};

} // namespace texelscope::gui
