// The gallery of a new project shows the templates that fit the chosen kind of task. Without script: all of them.

// kinds: as of the template, separated by spaces.
export const fitsKind = (kinds, chosen) => kinds.split(" ").includes(chosen);

// Shows what fits; where the selected template no longer does, the first that fits is selected.
export function showFitting(templates, chosen) {
  const fitting = templates.filter((template) => fitsKind(template.dataset.kinds, chosen));
  for (const template of templates) template.hidden = !fitting.includes(template);
  const radios = fitting.map((template) => template.querySelector("input"));
  if (radios.length && !radios.some((radio) => radio.checked)) radios[0].checked = true;
}

if (typeof document !== "undefined") {
  const choice = document.querySelector("[data-kinds-of-task]");
  const templates = [...document.querySelectorAll("[data-kinds]")];
  const update = () => {
    const chosen = choice.querySelector("input:checked");
    if (chosen) showFitting(templates, chosen.value);
  };
  if (choice) {
    choice.addEventListener("change", update);
    update();
  }
}
