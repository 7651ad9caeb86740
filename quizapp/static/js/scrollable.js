// scrollable.js: code and tables that are wider than their column can be scrolled by keyboard too.
export function enhance(root) {
  for (const block of root.querySelectorAll("pre:not([tabindex]), .table:not([tabindex])")) {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
  }
}
