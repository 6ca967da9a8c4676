// Sections that have all words of ?q=, best first. `sections` (search-index.js): [address, title of the page, heading, text].
const words = (new URLSearchParams(location.search).get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);

// A word counts most in a heading, then in the page's title, then by how often the text has it.
function score([, title, heading, text]) {
    let sum = 0;
    for (const word of words) {
        const often = text.toLowerCase().split(word).length - 1;
        const one = 8 * heading.toLowerCase().includes(word) + 4 * title.toLowerCase().includes(word) + Math.min(often, 4);
        if (one === 0) {
            return 0;
        }
        sum += one;
    }
    return sum;
}

// The text around the first word that it has.
function excerpt(text) {
    const at = Math.max(0, Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0), text.length) - 80);
    return (at > 0 ? "\u2026" : "") + text.slice(at, at + 240) + (at + 240 < text.length ? "\u2026" : "");
}

const found = words.length === 0 ? [] : sections.map((section) => [score(section), section]).filter(([points]) => points > 0);
found.sort((a, b) => b[0] - a[0]);
document.querySelector("header input").value = words.join(" ");
document.getElementById("found").textContent =
    words.length === 0 ? "Write words into the field above." : `${found.length} sections have all of: ${words.join(" ")}`;
for (const [, section] of found.slice(0, 50)) {
    const [address, title, heading, text] = section;
    const link = document.createElement("a");
    link.href = address;
    link.textContent = heading === title ? title : `${heading} \u2013 ${title}`;
    const lines = document.createElement("p");
    lines.textContent = excerpt(text);
    const item = document.createElement("li");
    item.append(link, lines);
    document.getElementById("results").append(item);
}
