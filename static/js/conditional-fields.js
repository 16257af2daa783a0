// Shows the fields that belong to the chosen value only: data-for names the values of the radio buttons of the form.
// Without script all of them are shown; the server takes those that the action needs.

export const belongs = (values, chosen) => values.split(" ").includes(chosen);

export function showFields(form) {
  const chosen = form.querySelector("input[type=radio]:checked")?.value ?? "";
  for (const field of form.querySelectorAll("[data-for]")) {
    field.closest(".form-row").hidden = !belongs(field.dataset.for, chosen);
  }
}

if (typeof document !== "undefined") {
  for (const form of document.querySelectorAll("form:has([data-for])")) {
    form.addEventListener("change", () => showFields(form));
    showFields(form);
  }
}
