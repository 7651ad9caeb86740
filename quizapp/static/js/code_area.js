// code_area.js: in a plain code area Tab indents once something was typed; Escape gives Tab back to keyboard users.
// Without it the form still works.
export function enhance(root) {
  for (const area of root.querySelectorAll("textarea[data-code]:not([data-enhanced])")) {
    area.dataset.enhanced = "";
    tabIndents(area);
  }
}

export function tabIndents(area) {
  let indents = false;
  area.addEventListener("input", () => { indents = true; });
  area.addEventListener("blur", () => { indents = false; });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") indents = false;
    if (event.key !== "Tab" || event.shiftKey || !indents) return;
    event.preventDefault();
    area.setRangeText("    ", area.selectionStart, area.selectionEnd, "end");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
}
