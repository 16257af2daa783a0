// What the browser finds wrong in a field is said under the field, like what the server finds, and not in a bubble.

const message = (row) => row.querySelector("[data-invalid]");

function showFault(field, row) {
  const list = message(row) ?? document.createElement("ul");
  list.className = "faults";
  list.dataset.invalid = "";
  list.id ||= `${field.id}_invalid`;
  const line = document.createElement("li");
  line.textContent = (field.validity.valueMissing && field.dataset.missing) || field.validationMessage;
  list.replaceChildren(line);
  row.append(list);
  row.classList.add("wrong");
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-errormessage", list.id);
}

function clearFault(field, row) {
  message(row)?.remove();
  row.classList.remove("wrong");
  field.removeAttribute("aria-invalid");
  field.removeAttribute("aria-errormessage");
}

export function followValidity(root) {
  let first = true; // of the fields that one attempt to send finds wrong
  root.addEventListener(
    "invalid",
    (event) => {
      const row = event.target.closest(".form-row");
      if (!row) return;
      event.preventDefault();
      showFault(event.target, row);
      if (!first) return;
      first = false;
      event.target.focus();
      setTimeout(() => (first = true)); // after all events of this attempt; a microtask would run between them
    },
    true,
  );
  root.addEventListener("input", (event) => {
    const row = event.target.closest?.(".form-row");
    if (row && message(row) && event.target.validity?.valid) clearFault(event.target, row);
  });
}
