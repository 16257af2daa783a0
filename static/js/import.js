// Choosing files of an import: drag and drop, and word at once that a file is too large. Without script: the file field.
export const tooLarge = (files, limit) => [...files].reduce((sum, file) => sum + file.size, 0) > limit;

// The one file field, its place to drop files on, and the form that is sent once files are there.
export function watchFiles(place, input, send) {
  const check = () => {
    const large = tooLarge(input.files, Number(input.dataset.limit));
    input.setCustomValidity(large ? input.dataset.tooLarge : "");
    input.reportValidity();
    return !large && input.files.length > 0;
  };
  input.addEventListener("change", () => {
    if (check()) send();
  });
  for (const kind of ["dragenter", "dragover"]) {
    place.addEventListener(kind, (event) => {
      event.preventDefault();
      place.classList.add("over");
    });
  }
  for (const kind of ["dragleave", "drop"]) {
    place.addEventListener(kind, (event) => {
      event.preventDefault();
      place.classList.remove("over");
    });
  }
  place.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    if (check()) send();
  });
}

if (typeof document !== "undefined") {
  const place = document.querySelector("[data-drop]");
  const input = place && place.querySelector("input[type=file]");
  // Whoever opened the field for a second file sends the form when both are chosen.
  const second = document.querySelector("[data-second-file]");
  if (input) {
    watchFiles(place, input, () => {
      if (!second || !second.open) input.form.requestSubmit();
    });
  }
}
