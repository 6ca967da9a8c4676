#pragma once

#include "gui/start/gallery.hpp"
#include "gui/widgets/background_job.hpp"

#include <QImage>
#include <QStringList>
#include <QWidget>
#include <optional>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace texelscope::gui {

class GalleryCard;

/// What the window shows where nothing was asked for: what this is, ways to begin, and the gallery.
/// It only says what was chosen; MainWindow opens it. Pictures of the gallery are made in the
/// background, one after the other, while the page is seen.
class StartPage : public QWidget {
    Q_OBJECT

public:
    explicit StartPage(QWidget* parent = nullptr);

    /// `present`: the study to go on with; nothing where there is none.
    void show_present(const std::optional<StudyForm>& present);
    void show_recent(const QStringList& paths);
    /// Why something could not be opened; empty: nothing is wrong.
    void show_error(const QString& line);
    /// Every card has its picture, or cannot have one.
    [[nodiscard]] bool complete() const;

signals:
    void went_on();
    void chosen(const texelscope::gui::GalleryEntry& entry);
    void recent_chosen(const QString& path);
    void open_asked();
    void study_asked();
    void tour_asked();
    void completed();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// A card, and what its picture is of.
    struct Picture {
        GalleryCard* card;
        GalleryEntry entry;
        bool tried = false;
    };

    [[nodiscard]] QWidget* build_ways();
    [[nodiscard]] QWidget* build_gallery();
    GalleryCard* add_card(const GalleryEntry& entry);
    void same_heights();
    void draw_next();

    std::vector<Picture> pictures_; ///< the first is of the study to go on with
    QVBoxLayout* recent_ = nullptr;
    QWidget* recent_box_ = nullptr;
    QLabel* error_ = nullptr;
    QWidget* tour_ = nullptr;
    std::size_t drawing_ = 0;
    BackgroundJob<QImage> job_;
};

} // namespace texelscope::gui
