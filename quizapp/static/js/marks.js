// marks.js: when an answer comes in, the marks of its item elsewhere on the page (table of contents, steps of a set)
// follow: [data-marks="<item id>"] in the answer says which, data-mark says how. done stays done, as on the server,
// and a newly done one counts in [data-done-count].
const WORDS = { open: "not started", tried: "started", done: "done" };

export function enhance(root) {
  if (root === document || root === document.body) return;
  const answers = [...root.querySelectorAll?.("[data-marks]") ?? []];
  if (root.matches?.("[data-marks]")) answers.push(root);
  for (const { dataset } of answers) {
    let isNew = false;
    for (const mark of document.querySelectorAll(`[data-mark-of="${CSS.escape(dataset.marks)}"]`)) {
      if (mark.dataset.state === "done") continue;
      mark.dataset.state = dataset.mark;
      mark.setAttribute("aria-label", WORDS[dataset.mark]);
      isNew = dataset.mark === "done";
    }
    const count = document.querySelector("[data-done-count]");
    if (count && isNew) count.textContent = Number(count.textContent) + 1;
  }
}
