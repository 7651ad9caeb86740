// put_code.js: a link with data-put-code puts that code into the page's editor, and then takes back what it did. Without
// it the link opens the exercise with that code in the editor.
export function enhance(root) {
  for (const link of root.querySelectorAll("a[data-put-code]:not([data-put-on])")) {
    link.dataset.putOn = "";
    const area = document.querySelector("textarea[data-editor]");
    if (!area) continue;
    const label = link.textContent;
    let before = null;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const text = before ?? link.dataset.putCode;
      before = before === null ? area.value : null;
      put(area, text);
      link.textContent = before === null ? label : "Take back the code you had";
    });
  }
}

function put(area, text) {
  if (area.hidden) {
    area.dispatchEvent(new CustomEvent("editor:set", { detail: { text } }));
  } else {
    area.value = text;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
