// Shows the fields and options that belong to the chosen value only: data-for names values of the radio buttons that
// decide, which are those in [data-decides], or of the whole form. Without script all of them are shown; the server
// takes those that the choice needs.

export const belongs = (values, chosen) => values.split(" ").includes(chosen);

const rowOf = (field) => field.closest(".form-row") ?? field;

// Where a selected option no longer belongs, the first that does is selected.
function selectShown(options) {
  const radios = options.map((option) => ({ option, radio: option.querySelector("input[type=radio]") }));
  const shown = radios.filter(({ option, radio }) => radio && !rowOf(option).hidden);
  if (shown.length && !shown.some(({ radio }) => radio.checked)) shown[0].radio.checked = true;
}

export function showFields(form) {
  const deciding = form.querySelector("[data-decides]") ?? form;
  const chosen = deciding.querySelector("input[type=radio]:checked")?.value ?? "";
  const fields = [...form.querySelectorAll("[data-for]")];
  for (const field of fields) rowOf(field).hidden = !belongs(field.dataset.for, chosen);
  selectShown(fields);
}

if (typeof document !== "undefined") {
  for (const form of document.querySelectorAll("form:has([data-for])")) {
    form.addEventListener("change", () => showFields(form));
    showFields(form);
  }
}
