// Small datasets are worked out at once: the page sends its own form when nothing fresh is stored. Without script: the
// button.
const form = document.querySelector("form[data-auto]");
if (form) form.requestSubmit();
