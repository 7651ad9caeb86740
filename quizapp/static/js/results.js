// results.js: ties a verdict to the code it speaks of: marks the line that raised, and goes there from [data-goto-line].
// A [data-error-line] in the results belongs to the page's one editor. What came in out of sight is brought into view.
export function enhance(root) {
  const area = document.querySelector("textarea[data-editor]");
  if (!area) return;
  if (root !== document && root.closest?.("#results")) {
    bringIntoView(document.getElementById("results"));
    if (!root.matches('[data-status="waiting"]')) for (const slot of document.querySelectorAll("[data-refused]")) slot.replaceChildren();
  }
  for (const place of root.querySelectorAll("[data-error-line]:not([data-marked])")) {
    place.dataset.marked = "";
    tell(area, "editor:mark", Number(place.dataset.errorLine));
  }
  for (const link of root.querySelectorAll("[data-goto-line]:not([data-marked])")) {
    link.dataset.marked = "";
    link.addEventListener("click", (event) => {
      event.preventDefault();
      tell(area, "editor:goto", Number(link.dataset.gotoLine));
    });
  }
}

function bringIntoView(results) {
  const { top } = results.getBoundingClientRect();
  if (top < 0 || top > innerHeight - 160) results.scrollIntoView({ block: "start" });
}

function tell(area, name, line) {
  area.dispatchEvent(new CustomEvent(name, { detail: { line } }));
}
