// focus.js: after an answer took the place of its form, focus goes to the [data-take-focus] in it, so that a keyboard or
// screen reader goes on where it was. Only in content that htmx put in; a page that loads keeps its own focus.
export function enhance(root) {
  if (root === document || root === document.body) return;
  const place = root.matches?.("[data-take-focus]") ? root : root.querySelector?.("[data-take-focus]");
  place?.focus({ preventScroll: true });
}
