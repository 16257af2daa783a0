// Says before sending that a file is too large to send; the server says it again.
export const tooLarge = (size, limit) => size > limit;

if (typeof document !== "undefined") {
  for (const input of document.querySelectorAll("input[type=file][data-limit]")) {
    input.addEventListener("change", () => {
      const file = input.files[0];
      input.setCustomValidity(file && tooLarge(file.size, Number(input.dataset.limit)) ? input.dataset.tooLarge : "");
      input.reportValidity();
    });
  }
}
