// draft.js: keeps what is typed in a <form data-draft="URL">: PUT a moment after typing stops, and when the page is hidden.
// The server refuses to overwrite what another page saved meanwhile; then the person chooses. [data-draft-state] says what happened.
// The field `revision` is the one that this page knows. Run and Submit send it too, and keep the draft or, where it is older, leave it.
const PAUSE_MS = 1200;

export function enhance(root) {
  for (const form of root.querySelectorAll("form[data-draft]:not([data-draft-on])")) {
    form.dataset.draftOn = "";
    keep(form);
  }
}

function keep(form) {
  const says = form.querySelector("[data-draft-state]");
  const field = form.querySelector("textarea[name], input[name=typed]");
  const known = form.elements.revision;
  let timer = 0;
  let saved = field.value;
  let stopped = false;
  const ours = new Set();      // what this page sent: Run and Submit store the draft too, and are no other page

  async function save({ overwrite = false, leaving = false, ask = false } = {}) {
    clearTimeout(timer);
    if ((field.value === saved && !ask && !overwrite) || (stopped && !overwrite)) return;
    const text = field.value;
    const body = new URLSearchParams({ [field.name]: text, csrf_token: form.elements.csrf_token.value });
    if (form.elements.version) body.set("version", form.elements.version.value);
    ours.add(text);
    if (!overwrite) body.set("revision", known.value);
    try {
      const response = await fetch(form.dataset.draft, { method: "PUT", body, keepalive: leaving });
      const answer = await response.json();
      if (response.ok) {
        saved = text;
        stopped = false;
        known.value = answer.revision;
        says.textContent = "Saved";
      } else if (response.status === 409 && ours.has(answer.answer[field.name])) {
        known.value = answer.revision;
        await save({ leaving, ask: true });
      } else if (response.status === 409) {
        stopped = true;
        offerChoice(answer);
      } else {
        says.textContent = answer.problem ?? "Not saved";
      }
    } catch {
      says.textContent = "Not saved: no connection";
    }
  }

  function offerChoice(theirs) {
    says.textContent = "Another page of yours saved this meanwhile. ";
    says.append(
      button("Keep this text", () => save({ overwrite: true })), " or ",
      button("take the other", () => {
        const text = theirs.answer[field.name] ?? "";
        saved = text;
        stopped = false;
        known.value = theirs.revision;
        if (field.hidden) field.dispatchEvent(new CustomEvent("editor:set", { detail: { text } }));
        else field.value = text;
        says.textContent = "Saved";
      }),
    );
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    if (field.value === saved || stopped) return;
    says.textContent = "";
    timer = setTimeout(() => save(), PAUSE_MS);
  });
  form.addEventListener("htmx:before:request", () => ours.add(field.value));
  // What was sent is kept with its verdict; whether it is the draft too, or another page saved a newer one, the server says here.
  form.addEventListener("htmx:finally:request", () => form.isConnected && save({ ask: true }));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") save({ leaving: true });
  });
}

function button(text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "link";
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}
