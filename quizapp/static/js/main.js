// main.js: gives what is on the page its enhancements, and again whatever htmx has put in since. Each enhance(root)
// skips what it has seen. Every page works without any of them.
import * as author from "./author.js";
import * as codeArea from "./code_area.js";
import * as draft from "./draft.js";
import * as editor from "./editor_loader.js";
import * as focus from "./focus.js";
import * as keys from "./keys.js";
import * as lab from "./lab.js";
import * as marks from "./marks.js";
import * as order from "./order.js";
import * as offline from "./offline.js";
import * as putCode from "./put_code.js";
import * as recall from "./recall.js";
import * as results from "./results.js";
import * as scrollable from "./scrollable.js";

const parts = [author, editor, codeArea, draft, keys, lab, marks, offline, order, putCode, recall, results, scrollable, focus];

function enhance(root) {
  for (const part of parts) part.enhance(root);
}

enhance(document);
// htmx 4 says htmx:after:process where htmx 2 said htmx:load: new content is in the page, its hx-* are live.
document.addEventListener("htmx:after:process", (event) => enhance(event.target));
