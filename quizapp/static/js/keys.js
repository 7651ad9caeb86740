// keys.js: the keys that are printed on buttons. Inside a <form data-keys>, Ctrl/Cmd+Enter presses [data-key="run"] and
// Ctrl/Cmd+Shift+Enter presses [data-key="submit"]. On a Mac the printed names change to match.
const mac = /Mac|iPhone|iPad/.test(navigator.userAgentData?.platform ?? navigator.platform);

export function enhance(root) {
  for (const form of root.querySelectorAll("form[data-keys]:not([data-keys-on])")) {
    form.dataset.keysOn = "";
    if (mac) for (const key of form.querySelectorAll("kbd")) key.textContent = key.textContent.replace("Ctrl", "⌘");
    // Capturing: before the editor takes the keys for itself.
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      const button = form.querySelector(`[data-key="${event.shiftKey ? "submit" : "run"}"]`);
      if (!button) return;
      event.preventDefault();
      event.stopPropagation();
      button.click();
    }, { capture: true });
  }
}
