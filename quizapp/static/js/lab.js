// lab.js: the slider of the home page. The runs are stored with the page (data-runs); this only shows another of them.
// Without it two runs stand side by side.
export function enhance(root) {
  for (const lab of root.querySelectorAll("[data-lab]:not([data-live])")) {
    lab.dataset.live = "";
    start(lab, JSON.parse(lab.dataset.runs));
  }
}

function start(lab, runs) {
  const [graph, other] = lab.querySelectorAll(".lab__figure");
  const slider = lab.querySelector("input[type=range]");
  other.hidden = true;
  for (const panel of lab.querySelectorAll(".lab__slider, .lab__readings")) panel.hidden = false;
  slider.max = runs.length - 1;
  slider.value = runs.findIndex((run) => run.x === lab.dataset.start);
  slider.addEventListener("input", () => show(lab, graph, runs[slider.value], slider));
  show(lab, graph, runs[slider.value], slider);
}

function show(lab, graph, run, slider) {
  graph.querySelector("svg").dataset.branch = run.branch;
  for (const slot of lab.querySelectorAll("[data-slot]")) slot.textContent = run[slot.dataset.slot];
  for (const line of lab.querySelectorAll("[data-branch-line]")) {
    const ran = line.dataset.branchLine === run.branch;
    line.toggleAttribute("data-idle", !ran);
    line.toggleAttribute("data-ran", ran);
  }
  slider.setAttribute("aria-valuetext", `x = ${run.x}`);
}
