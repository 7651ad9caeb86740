// editor_loader.js: fetches the editor only where a page has a code area, and puts it in the textarea's place. If it
// cannot be had, code_area.js makes the plain textarea do.
import { tabIndents } from "./code_area.js";

export function enhance(root) {
  for (const area of root.querySelectorAll("textarea[data-editor]:not([data-enhanced])")) {
    area.dataset.enhanced = "";
    load(area);
  }
}

async function load(area) {
  try {
    const { mount } = await import("../build/editor.js");
    // The nonce can be read from the element by scripts of the page alone, not from its HTML by a stylesheet.
    const nonce = document.querySelector("script[nonce]")?.nonce ?? "";
    mount(area, { nonce });
  } catch (error) {
    console.warn("The editor could not be loaded; the plain text area works too.", error);
    tabIndents(area);
  }
}
