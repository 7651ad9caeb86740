// author.js: reads the page again when the files behind it have changed. Only on a page with the author's bar; what has
// been typed is a draft by then, and comes back with the page.
const EVERY_MS = 1000;

export function enhance(root) {
  const bar = root.querySelector("[data-author-stamp]:not([data-author-on])");
  if (!bar) return;
  bar.dataset.authorOn = "";
  setInterval(async () => {
    if (document.hidden) return;
    try {
      const answer = await (await fetch(bar.dataset.authorUrl)).json();
      if (answer.stamp !== bar.dataset.authorStamp) location.reload();
    } catch {
      // The server is starting again; the next look finds it.
    }
  }, EVERY_MS);
}
