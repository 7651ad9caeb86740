// order.js: lines of a program that are put in order by buttons, in a <fieldset data-order>. Without it each line has a
// select for its place, and with it these selects say the same, out of sight: what is sent does not change.
export function enhance(root) {
  for (const field of root.querySelectorAll("[data-order]:not([data-order-on])")) {
    field.dataset.orderOn = "";
    arrange(field);
  }
}

function arrange(field) {
  const list = field.querySelector("ol");
  const says = document.createElement("p");
  says.className = "unseen";
  says.setAttribute("role", "status");
  list.after(says);
  for (const row of list.children) {
    const select = row.querySelector("select");
    const code = row.querySelector("code");
    select.hidden = true;
    const buttons = document.createElement("span");
    buttons.className = "line__moves";
    buttons.append(
      button("\u2191", `Up: ${code.textContent.trim()}`, "up", () => move(row, -1)),
      button("\u2193", `Down: ${code.textContent.trim()}`, "down", () => move(row, 1)),
      button("\u00d7", `Leave out: ${code.textContent.trim()}`, "out", () => toggle(row)),
    );
    row.prepend(buttons);
  }
  number();

  function button(sign, label, name, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = sign;
    made.dataset.move = name;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", () => {
      act();
      number();
      made.disabled ? made.parentElement.querySelector("button:not(:disabled)").focus() : made.focus();
    });
    return made;
  }

  function move(row, step) {
    const other = step < 0 ? row.previousElementSibling : row.nextElementSibling;
    if (!other) return;
    step < 0 ? other.before(row) : other.after(row);
  }

  function toggle(row) {
    if ("out" in row.dataset) delete row.dataset.out;
    else row.dataset.out = "";
    const out = row.querySelector('[data-move="out"]');
    out.setAttribute("aria-pressed", "out" in row.dataset);
  }

  function number() {
    let place = 0;
    const rows = [...list.children];
    for (const [index, row] of rows.entries()) {
      row.querySelector("select").value = "out" in row.dataset ? "" : String(++place);
      row.querySelector('[data-move="up"]').disabled = index === 0;
      row.querySelector('[data-move="down"]').disabled = index === rows.length - 1;
    }
    says.textContent = `${place} lines in order`;
  }
}
