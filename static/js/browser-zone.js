// Fills the hidden time zone of a new project; without it the site's zone is used.
const field = document.querySelector("[data-browser-zone]");
if (field && !field.value) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
