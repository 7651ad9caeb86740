// recall.js: Space turns a recall card; once it is turned 1 means "not yet" and 2 means "knew it". Of several cards it is
// the one that has the focus, else the first in view that is still to be turned (or, for 1 and 2, to be judged).
// Keys that a focused control wants are left to it.
let listens = false;

export function enhance() {
  if (listens) return;
  listens = true;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turns = event.key === " ";
    const judges = event.key === "1" || event.key === "2";
    if (!turns && !judges) return;
    const own = event.target.closest("section.recall")?.querySelector("details[data-recall]");
    const ofTheCard = judges && event.target.matches("summary") && own;
    if (!ofTheCard && event.target.closest("a, button, input, textarea, select, summary, [contenteditable]")) return;
    const cards = [...document.querySelectorAll("details[data-recall]")];
    if (turns) {
      const card = own ?? (cards.length === 1 ? cards[0] : cards.find((one) => !one.open && inView(one)));
      if (!card) return;
      event.preventDefault();
      card.open = !card.open;
    } else {
      const card = own ?? cards.find((one) => one.open && inView(one));
      if (card?.open) card.closest("form").querySelector(`[data-recall-key="${event.key}"]`).click();
    }
  });
}

function inView(card) {
  const { top, bottom } = card.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}
