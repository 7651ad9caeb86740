// recall.js: on a recall card Space turns it, and once it is turned 1 means "not yet" and 2 means "knew it".
// Keys that a focused control wants are left to it.
export function enhance(root) {
  for (const card of root.querySelectorAll("details[data-recall]:not([data-recall-on])")) {
    card.dataset.recallOn = "";
    document.addEventListener("keydown", (event) => {
      if (!card.isConnected || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest("a, button, input, textarea, select, summary, [contenteditable]")) return;
      if (event.key === " ") {
        event.preventDefault();
        card.open = !card.open;
      } else if (card.open && (event.key === "1" || event.key === "2")) {
        document.querySelector(`[data-recall-key="${event.key}"]`)?.click();
      }
    });
  }
}
