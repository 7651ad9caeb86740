// results.js: ties a verdict to the code it speaks of: marks the line that raised, and goes there from [data-goto-line].
// A [data-error-line] in the results belongs to the page's one editor.
export function enhance(root) {
  const area = document.querySelector("textarea[data-editor]");
  if (!area) return;
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

function tell(area, name, line) {
  area.dispatchEvent(new CustomEvent(name, { detail: { line } }));
}
