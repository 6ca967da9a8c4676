#include "experiments/render/html_page.hpp"

#include "experiments/render/html.hpp"

#include <fmt/format.h>

#include <string_view>

namespace texelscope::experiments {
namespace {

// No ampersand and no "less than": the page is HTML and well-formed XML at once.
constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1d2129; --soft: #5b6470; --line: #d9dde3; --card: #f5f6f8;
  --accent: #0072b2; --this: #fff3d6; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171c; --ink: #e4e7ec; --soft: #9aa4b2; --line: #343b46; --card: #1d222a; --accent: #56b4e9;
    --this: #3a3219; }
  [fill="#0072b2"] { fill: #56b4e9; }
  [stroke="#0072b2"] { stroke: #56b4e9; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto,
  "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 6px; }
h2 { font-size: 20px; margin: 48px 0 8px; padding-top: 12px; border-top: 1px solid var(--line); }
h3 { font-size: 16px; margin: 24px 0 8px; }
h3 small { font-weight: 400; color: var(--soft); margin-left: 8px; }
p { margin: 6px 0 12px; max-width: 80ch; }
section p, figcaption { color: var(--soft); }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 13px; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; overflow: auto;
  max-height: 640px; line-height: 1.45; tab-size: 4; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 16px 0 0; font-size: 14px; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
.facts { color: var(--soft); margin: 0; }
.facts code { color: var(--ink); }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(168px, 1fr)); gap: 12px; margin: 24px 0 0; }
.figures div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; }
.figures dt { color: var(--soft); font-size: 13px; }
.figures dd { margin: 0; font-size: 20px; font-weight: 600; font-variant-numeric: tabular-nums; }
.figures dd small { display: block; font-size: 12px; overflow-wrap: anywhere; font-weight: 400; color: var(--soft); }
.row { display: flex; flex-wrap: wrap; gap: 16px 24px; align-items: flex-start; }
figure { margin: 0; max-width: 100%; }
figure img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px; display: block; }
figure svg { max-width: 100%; height: auto; display: block; }
figcaption { font-size: 13px; margin-top: 4px; }
.row + .table { margin-top: 20px; }
.table { overflow-x: auto; max-width: 100%; margin: 8px 0 16px; }
table { border-collapse: collapse; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.this td { background: var(--this); }
.name { white-space: nowrap; }
summary { font-weight: 600; cursor: pointer; margin: 1em 0 0.5em; }
@media print { pre { max-height: none; } nav { display: none; } section { break-inside: avoid-page; } }
)css";

} // namespace

std::string html_page(const std::string& title, const std::string& body)
{
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}: "
                       "Texelscope</title>\n"
                       "<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
                       escape_html(title), style, body);
}

} // namespace texelscope::experiments
