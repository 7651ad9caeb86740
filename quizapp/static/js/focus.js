// focus.js: after an answer took the place of its form, or a form that of its answer, focus goes to the
// [data-take-focus] in it, so that a keyboard or screen reader goes on where it was, and it is brought into view if it is
// not. Only in content that htmx put in; a page that loads keeps its own focus.
export function enhance(root) {
  if (root === document || root === document.body) return;
  const places = [...root.querySelectorAll?.("[data-take-focus]") ?? []];
  if (root.matches?.("[data-take-focus]")) places.push(root);
  const place = places.find((one) => one.checkVisibility());      // what is inside goes before the whole
  if (!place) return;
  place.focus({ preventScroll: true });
  const whole = place.closest(".question, .recall[id]") ?? place;
  const { top } = whole.getBoundingClientRect();
  if (top < 0 || top > innerHeight - 160) whole.scrollIntoView({ block: "start" });
}
