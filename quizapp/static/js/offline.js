// offline.js: when the server cannot be reached, says so beside the button that was pressed. The form keeps what was
// typed and its id, so that sending it again is the same answer, even if the first one did arrive.
let listens = false;

export function enhance() {
  if (listens) return;
  listens = true;
  document.addEventListener("htmx:error", (event) => {
    const source = event.detail.ctx?.sourceElement;
    if (source?.isConnected) tell(source);
  });
  document.addEventListener("htmx:before:request", (event) => {
    const source = event.detail.ctx?.sourceElement;
    for (const notice of place(source)?.querySelectorAll(".notice[data-offline]") ?? []) notice.remove();
  });
}

function place(source) {
  return source?.closest("form, .question, .verdict");
}

function tell(source) {
  const where = place(source) ?? source.parentElement;
  for (const old of where.querySelectorAll(".notice[data-offline]")) old.remove();
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.dataset.offline = "";
  notice.setAttribute("role", "alert");
  notice.textContent = source.closest("form")
    ? "Not sent: no connection. What you typed is kept; try again."
    : "No connection. Try again.";
  const slot = where.querySelector("[id^='refused-']");
  if (slot) slot.replaceChildren(notice);
  else where.append(notice);
}
